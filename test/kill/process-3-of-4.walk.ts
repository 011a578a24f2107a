import { killEverywhere } from '../support/kill-everywhere.ts';

killEverywhere(3, 4);
