import { ADOPTION_ROWS, killAdoption } from '../support/adoption.ts';
import { repeatRequests, tagless } from '../support/foreign.ts';

killAdoption({ files: tagless('', ADOPTION_ROWS), repeat: repeatRequests, waitMs: 3_600_000 });
