import { killEverywhere } from '../support/kill-everywhere.ts';

killEverywhere(1, 4);
