import { killEverywhere } from '../support/kill-everywhere.ts';

killEverywhere('process', 1, 4);
