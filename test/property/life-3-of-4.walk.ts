import { liveRandomPrograms } from './random-lives.ts';

liveRandomPrograms(3, 4);
