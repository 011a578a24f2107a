import { killEverywhere } from '../support/kill-everywhere.ts';

killEverywhere('process', 2, 4);
