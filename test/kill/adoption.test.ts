import { ADOPTION_ROWS, killAdoption } from '../support/adoption.ts';
import { repeatCreate } from '../support/second.ts';
import { repository } from '../support/world.ts';

killAdoption({ files: repository('', ADOPTION_ROWS), repeat: repeatCreate, waitMs: 1_000 });
