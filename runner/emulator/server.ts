import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnthropicFace } from './anthropic/anthropic.ts';
import { answerCall, type CallCounts, type Outcome } from './calls.ts';
import { type ClockOption, createClock, type EmulatorClock, MANUAL_START } from './clock.ts';
import { answerControl } from './control.ts';
import type { Face, World } from './face.ts';
import { planFaults } from './faults.ts';
import { createGeminiFace } from './gemini/gemini.ts';
import { send } from './http.ts';
import type { LedgerEntry } from './ledger.ts';
import { createOpenaiFace } from './openai/openai.ts';
import { refusal } from './openai/replies.ts';
import type { Scenario } from './scenario.ts';
import { fillScenario } from './scenario-check.ts';
import { assertScenario } from './scenario-file.ts';
import { openStateLog, type StateLog } from './state-log.ts';

export interface EmulatorOptions {
  /** 0 or absent: any free port. Always on loopback. */
  readonly port?: number;
  /** Where files and state live; an emulator started there again knows its batches. Absent: a temporary folder. */
  readonly dir?: string;
  /** As it would stand in a scenario file. */
  readonly scenario?: Scenario;
  /** Default `{ mode: 'real' }`. */
  readonly clock?: ClockOption;
}

/** A provider on loopback. `await using emulator = await startEmulator()` closes it at the end of the block. */
export interface Emulator extends AsyncDisposable {
  /** For the OpenAI SDK's `baseURL`: `http://127.0.0.1:4010/v1`. */
  readonly url: string;
  /** Without a path: `http://127.0.0.1:4010`. */
  readonly origin: string;
  readonly port: number;
  /** Where its files and state lie: an emulator that is started there goes on from here. */
  readonly dir: string;
  readonly clock: EmulatorClock;
  /** From now on other faults; batches that exist keep the phases and faults they were created with. */
  setScenario(scenario: Scenario): void;
  /** What was charged so far; also at `GET /__emulator/ledger`, one JSON document a line. */
  ledger(): AsyncGenerator<LedgerEntry>;
  close(): Promise<void>;
}

/** @throws UserError where the scenario has mistakes; an error with code `EADDRINUSE` where the port is taken. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const scenario = createScenarioHolder(options.scenario ?? {});
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'batchwright-emulator-'));
  mkdirSync(dir, { recursive: true });
  const log = openStateLog(join(dir, 'state.jsonl'));
  const clock = clockWithMemory(options.clock ?? { mode: 'real' }, log);
  const service = createService({ clock, dir, log, ...scenario.parts });
  const server = createServer((request, response) => void serve(request, response, service));

  async function close(): Promise<void> {
    // First of all, or those who sleep would keep their connections.
    clock.stop();
    await stopListening(server);
    for (const face of service.faces) await face.close();
    log.close();
    if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
  }

  try {
    const port = await listen(server, options.port ?? 0);
    const origin = `http://127.0.0.1:${port}`;
    const { set: setScenario } = scenario;
    const { ledger } = service;
    return {
      url: `${origin}/v1`,
      origin,
      port,
      dir,
      clock,
      setScenario,
      ledger,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface ScenarioHolder {
  readonly parts: Pick<World, 'scenario' | 'faults'>;
  set(scenario: Scenario): void;
}

function createScenarioHolder(first: Scenario): ScenarioHolder {
  let scenario = fillScenario(assertScenario(first));
  let faults = planFaults(scenario.rules, scenario.seed);
  return {
    parts: { scenario: () => scenario, faults: () => faults },
    set(next) {
      scenario = fillScenario(assertScenario(next));
      faults = planFaults(scenario.rules, scenario.seed);
    },
  };
}

/** A clock that goes on where the last emulator of this folder left it, unless it is told where to start. */
function clockWithMemory(option: ClockOption, log: StateLog): EmulatorClock {
  const memory = log.table<number>('clock');
  const left = memory.get(option.mode);
  const start: ClockOption =
    option.mode === 'real'
      ? { mode: 'real', offsetMs: option.offsetMs ?? left ?? 0 }
      : { mode: 'manual', at: option.at ?? left ?? MANUAL_START };
  return createClock(start, (value) => memory.put(option.mode, value));
}

/** What a request meets. */
interface Service {
  readonly world: World;
  readonly faces: readonly Face[];
  readonly counts: CallCounts;
  ledger(): AsyncGenerator<LedgerEntry>;
}

function createService(world: World): Service {
  // OpenAI's last: it takes paths that others have too.
  const faces = [createAnthropicFace(world), createGeminiFace(world), createOpenaiFace(world)];
  const counts: CallCounts = {};
  return {
    world,
    faces,
    counts,
    async *ledger() {
      yield { kind: 'calls', calls: { ...counts } };
      for (const face of faces) yield* face.ledger();
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function stopListening(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

async function serve(request: IncomingMessage, response: ServerResponse, service: Service): Promise<void> {
  try {
    const outcome = await outcomeOf(request, service);
    if (outcome.kind === 'reset') return void request.socket.destroy();
    response.setHeader('x-batchwright-emulator', '1');
    const id = `req_${randomUUID().replaceAll('-', '')}`;
    // OpenAI's name for it, and Anthropic's.
    for (const name of ['x-request-id', 'request-id']) response.setHeader(name, id);
    response.setHeader('date', new Date(service.world.clock.now()).toUTCString());
    await send(response, outcome);
  } catch (error) {
    // A client that went away in the middle is its own affair; anything else is a mistake here and must be seen.
    if (response.headersSent || request.destroyed) response.destroy();
    else await send(response, refusal(500, { message: `emulator: ${String(error)}`, type: 'server_error' }));
  }
}

async function outcomeOf(request: IncomingMessage, service: Service): Promise<Outcome> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://emulator');
  const control = await answerControl(request, pathname, service.world.clock, service.ledger);
  if (control !== null) return control;
  for (const face of service.faces) {
    const found = face.find(request, pathname);
    if (found !== null)
      return answerCall({ face, found, request, query: searchParams }, service.world, service.counts);
  }
  return refusal(404, { message: `Invalid URL (${request.method} ${pathname})` });
}
