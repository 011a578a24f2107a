import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { findingsWithoutHint, hintOf, UserError } from '../errors.ts';
import { digestSources } from '../manifest/source.ts';
import type { PassContext } from '../reconcile/context.ts';
import { sourceRoots } from '../reconcile/draft.ts';
import type { Diagnosis } from '../report/doctor-view.ts';
import type { Job } from '../spec/job.ts';

/** Can the inputs be read, and is there room for the answers? */
export async function diagnoseJobs(ctx: PassContext): Promise<Diagnosis[]> {
  const found = await Promise.all(ctx.repository.jobs.map(({ job }) => diagnoseJob(ctx, job)));
  return found.flat();
}

async function diagnoseJob(ctx: PassContext, job: Job): Promise<Diagnosis[]> {
  const part = `job ${job.name}`;
  const sinks = await Promise.all(job.sinks.map(({ path }) => diagnoseSink(ctx.root, path, part)));
  return [await diagnoseInput(ctx, job, part), ...sinks];
}

async function diagnoseInput(ctx: PassContext, job: Job, part: string): Promise<Diagnosis> {
  try {
    const { files, bytes } = await digestSources(job.input, sourceRoots(ctx));
    const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6)} MB`;
    return {
      part,
      state: 'good',
      message: `its input can be read: ${files} ${files === 1 ? 'file' : 'files'}, ${size}`,
      next: null,
    };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const next = hintOf(error.findings);
    return { part, state: 'bad', message: `its input: ${findingsWithoutHint(error.findings)}`, next };
  }
}

async function diagnoseSink(root: string, path: string, part: string): Promise<Diagnosis> {
  const folder = await nearest(dirname(resolve(root, path)));
  const is = await stat(folder);
  if (!is.isDirectory()) return unwritable(part, path, `${folder} is no folder`);
  const canWrite = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
  return canWrite
    ? { part, state: 'good', message: `${path} can be written`, next: null }
    : unwritable(part, path, `this user may not write to ${folder}`);
}

function unwritable(part: string, path: string, why: string): Diagnosis {
  return {
    part,
    state: 'bad',
    message: `${path} cannot be written: ${why}`,
    next: 'make room there, or name another path in `sinks`',
  };
}

/** Folders are made when they are needed; the nearest thing that is there decides. */
async function nearest(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : nearest(dirname(path));
}
