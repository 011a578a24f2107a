/** Text that any file and database can hold, cut where a reader has had enough. */
export function words(text: string, most = 500): string {
  const held = text.replaceAll('\u0000', '\ufffd').toWellFormed();
  return held.length <= most ? held : `${held.slice(0, most - 1).toWellFormed()}…`;
}
