import { providersJson, providersMarkdown, providersTerminal } from '../report/providers-text.ts';
import { type Common, EXIT } from './common.ts';

/** Prints what each kind of provider takes and promises, from the table that code asks. Needs no repository. */
export async function runProviders(
  options: Pick<Common, 'json' | 'out'> & { readonly markdown: boolean },
): Promise<number> {
  if (options.json) options.out(`${JSON.stringify(providersJson(), null, 2)}\n`);
  else options.out(options.markdown ? providersMarkdown() : providersTerminal());
  return EXIT.ok;
}
