import { killEverywhere } from '../support/kill-everywhere.ts';

killEverywhere(2, 4);
