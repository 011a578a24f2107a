import { diagnoseHost } from '../doctor/host.ts';
import { diagnoseJobs } from '../doctor/jobs.ts';
import { diagnoseModels } from '../doctor/live.ts';
import { diagnoseProviders } from '../doctor/providers.ts';
import { diagnosePush } from '../doctor/push.ts';
import { diagnoseRepository, diagnoseStore } from '../doctor/repository.ts';
import { doctorJson, doctorTerminal } from '../report/doctor-terminal.ts';
import type { Diagnosis } from '../report/doctor-view.ts';
import { person } from './ask.ts';
import { type Common, EXIT } from './common.ts';
import { sessionAt } from './session.ts';

export interface DoctorOptions extends Common {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ask each model for one row: the only thing here that costs money. */
  readonly live: boolean;
}

/**
 * Looks at everything that a pass needs, and changes nothing. Asks each provider for one page of its list; with `live`
 * each model for one row, which is announced in the journal as every paid call is.
 */
export async function runDoctor(options: DoctorOptions): Promise<number> {
  const session = await sessionAt(options);
  try {
    const ctx = await session.context();
    const found: Diagnosis[] = [
      ...diagnoseRepository(ctx),
      ...(await diagnoseStore(ctx)),
      ...(await diagnoseJobs(ctx)),
      ...(await diagnoseProviders(ctx, options.env)),
      ...(options.live ? await diagnoseModels(ctx, person()) : []),
      ...(await diagnoseHost(ctx, options.env)),
      ...(await diagnosePush(ctx, options.env)),
    ];
    options.out(
      options.json
        ? `${JSON.stringify(doctorJson(found), null, 2)}\n`
        : doctorTerminal(found, { color: options.color }),
    );
    return found.some(({ state }) => state === 'bad') ? EXIT.error : EXIT.ok;
  } finally {
    await session.close();
  }
}
