import { liveRandomPrograms } from './random-lives.ts';

liveRandomPrograms(4, 4);
