#!/usr/bin/env node
// Plain JavaScript on purpose: it has to run on whatever Node there is, to say which one is needed.
import { existsSync } from 'node:fs';
import module from 'node:module';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`batchwright needs Node 22.18 or newer; this is ${process.versions.node}.`);
  console.error('In a checkout, `npm run batchwright --` uses the Node that `npm ci` installed.');
  process.exit(1);
}
// Before the first TypeScript file: Node keeps it without its types, and need not load what strips them (60 ms).
module.enableCompileCache();
// A checkout runs its source; the published package has none, since Node strips no types under node_modules.
const source = new URL('../runner/cli.ts', import.meta.url);
await import(existsSync(source) ? source.href : new URL('../dist/cli.js', import.meta.url).href);
