import { killEverywhere } from '../support/kill-everywhere.ts';

killEverywhere('process', 4, 4);
