#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { runCli } from './commands/run.ts';

// First of all: it halves the start of every later run.
enableCompileCache();
// Not `process.exit`: output that is still on its way to a pipe would be cut.
process.exitCode = await runCli(process.argv);
