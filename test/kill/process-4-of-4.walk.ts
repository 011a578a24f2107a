import { killEverywhere } from '../support/kill-everywhere.ts';

killEverywhere(4, 4);
