#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runCli } from './commands/run.ts';

// First of all: it halves the start of every later run.
enableCompileCache();
// Files pass through in pieces of memory that V8 does not hold but counts: by default it looks through the whole heap,
// 25 ms, for each 16 MB of them. With this the heap may double before it does, and a large run takes 5 % less time.
setFlagsFromString('--heap-growing-percent=100');
// A limit on the size of files (`ulimit -f`) ends a process unless it listens; then the write fails, which is told.
process.on('SIGXFSZ', () => {});
// Not `process.exit`: output that is still on its way to a pipe would be cut.
process.exitCode = await runCli(process.argv);
