import { killEverywhere } from '../support/kill-everywhere.ts';

killEverywhere('process', 3, 4);
