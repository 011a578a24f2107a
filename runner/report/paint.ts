import picocolors from 'picocolors';

/** Colours for a terminal, or the same functions doing nothing. */
export type Paint = ReturnType<typeof picocolors.createColors>;

export function painter(color: boolean): Paint {
  return picocolors.createColors(color);
}
