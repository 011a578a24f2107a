import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { carryOut } from './answer.ts';
import { ANTHROPIC } from './anthropic/anthropic.ts';
import { readTimeline } from './batch.ts';
import { type Book, openBook } from './book.ts';
import { readCall } from './call.ts';
import { type Clock, createClock } from './clock.ts';
import type { Call, Contract, Task } from './contract.ts';
import { GEMINI, isGemini } from './gemini/gemini.ts';
import { createIds } from './ids.ts';
import { createLiar, type Liar, type Lie } from './lies.ts';
import type { Plan } from './life.ts';
import type { ModelRequest, ProviderName } from './model.ts';
import { OPENAI } from './openai/openai.ts';
import { type Reply, send } from './reply.ts';
import { openTruth, type Truth } from './truth.ts';
import { type Quirks, settle, type World } from './world.ts';

/** How a fake is to be; everything has a default. */
export type FakeOptions = {
  /** The first moment, as a stamp or in milliseconds; 2026-11-02T08:00:00Z by default. */
  start?: string | number;
  /** The life of every batch, where it is not the usual one: a minute of validation, ten of running. */
  plan?: Partial<Plan>;
  /** The life of single batches, by their number (from 1) of their provider. */
  planFor?: (provider: ProviderName, nth: number) => Partial<Plan> | undefined;
  /** The model's text for a request. */
  answer?: (request: ModelRequest) => string;
  lies?: readonly Lie[];
  quirks?: Quirks;
  /** Called at each moment of each call, and waited for by nobody. */
  watch?: (moment: Moment) => void;
  /** Makes ids and the order of result lines others. */
  seed?: number;
};

/** A moment of a call, for tests that end a process just there. */
export type Moment = {
  /** Before anything is done; when it is done, and no answer has left; when the answer has left. */
  stage: 'before' | 'done' | 'sent';
  on: Task['on'];
  provider: ProviderName;
  path: string;
};

/** Three providers on one port of loopback. */
export type Fake = {
  origin: string;
  /** What the client of a provider takes as its base URL. */
  baseUrls: Record<ProviderName, string>;
  clock: Clock;
  liar: Liar;
  book: Book;
  truth: Truth;
  close(): Promise<void>;
};

const START = '2026-11-02T08:00:00Z';
const USUAL_ANSWER = '{"label":"wheel","sure":true}';
const CONTRACTS = { openai: OPENAI, anthropic: ANTHROPIC, gemini: GEMINI };

/** Starts a fake; it listens when the promise resolves, until `close`. */
export async function startFake(options: FakeOptions = {}): Promise<Fake> {
  const world = makeWorld(options);
  const server = createServer((request, response) => void serve(world, options.watch, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  world.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { origin, clock, liar, book } = world;
  const baseUrls = { openai: `${origin}/v1`, anthropic: origin, gemini: origin };
  return { origin, baseUrls, clock, liar, book, truth: openTruth(world), close: () => stop(server) };
}

function makeWorld(options: FakeOptions): World {
  const start = new Date(options.start ?? START).getTime();
  const clock = createClock(start, () => settle(world));
  const world: World = {
    clock,
    ids: createIds(options.seed ?? 1),
    liar: createLiar(start, options.lies ?? []),
    book: openBook(),
    files: new Map(),
    batches: [],
    origin: '',
    seed: options.seed ?? 1,
    quirks: options.quirks ?? {},
    answer: options.answer ?? (() => USUAL_ANSWER),
    planFor: (provider, nth) => ({ ...options.plan, ...options.planFor?.(provider, nth) }),
    contracts: CONTRACTS,
  };
  return world;
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

type Watch = FakeOptions['watch'];

/** A client that is killed in the middle of its request has asked for nothing. */
async function serve(
  world: World,
  watch: Watch,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const call = await readCall(request).catch(() => null);
  if (call === null) return void response.destroy();
  const contract = CONTRACTS[chooseProvider(call)];
  const task = contract.route(call, world);
  const tell = (stage: Moment['stage']) =>
    watch?.({ stage, on: task.on, provider: contract.name, path: call.path });
  tell('before');
  const reply = answer(world, contract, call, task);
  tell('done');
  await send(reply, response, world.clock.now());
  tell('sent');
}

/** All of it happens in one turn, so that no two calls see each other half done. */
function answer(world: World, contract: Contract, call: Call, task: Task): Reply {
  const at = world.clock.now();
  const lie = findLie(world, contract, task);
  const reply = carryOut(task, lie, contract, at);
  const { method, path } = call;
  const { status } = reply;
  world.book.calls.push({
    at,
    provider: contract.name,
    method,
    path,
    on: task.on,
    status,
    lie: lie?.what.kind ?? null,
  });
  return reply;
}

function findLie(world: World, { name: provider }: Contract, task: Task): Lie | null {
  const { on, batch, part } = task;
  if (on === 'other') return null;
  const endedAt = batch === null ? null : readTimeline(batch).endedAt;
  const next = world.batches.filter((one) => one.provider === provider).length + 1;
  const nth = on === 'create' ? next : (batch?.nth ?? null);
  return world.liar.find({ on, provider, batch: nth, part, endedAt }, world.clock.now());
}

/** Two of them share paths, so a key in Google's header, or a version that only Google has, decides. */
function chooseProvider(call: Call): ProviderName {
  if (isGemini(call)) return 'gemini';
  return call.path.startsWith('/v1/messages') ? 'anthropic' : 'openai';
}
