import { digText, type Json } from '../json.ts';

/** From this version on the sampling parameters are gone. */
const WITHOUT_SAMPLING = '2026-10-21';

/** Tells whether a request's parameters are such that it errs; that is found out when the batch runs. */
export function isDoomed(params: Json, version: string): boolean {
  const { max_tokens: most, messages, stream, speed } = params;
  if (digText(params, 'model') === undefined || !Array.isArray(messages) || messages.length === 0)
    return true;
  if (typeof most !== 'number' || most < 1 || stream === true || speed !== undefined) return true;
  const samples = ['temperature', 'top_p', 'top_k'].some((name) => params[name] !== undefined);
  return samples && version >= WITHOUT_SAMPLING;
}
