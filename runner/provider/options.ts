import type { ProviderSettings } from '../spec/settings.ts';
import type { Transport } from './calls.ts';

/** What opening a provider takes, whatever its kind. */
export interface ProviderOptions extends Transport {
  /** The provider's name in the settings: the first half of its account id. */
  readonly name: string;
  readonly settings: ProviderSettings;
  /** Never logged and never written. */
  readonly apiKey: string;
}
