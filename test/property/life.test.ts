import { liveRandomPrograms } from './random-lives.ts';

liveRandomPrograms(1, 10);
