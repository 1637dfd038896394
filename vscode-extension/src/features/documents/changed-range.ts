interface ChangedRange {
  readonly from: number;
  readonly to: number;
  readonly inserted: string;
}

/** Returns the shortest single replacement that turns `oldText` into `newText`, so that cursors elsewhere don't move. */
export function changedRange(oldText: string, newText: string): ChangedRange {
  const shorter = Math.min(oldText.length, newText.length);
  let start = 0;
  while (start < shorter && oldText.charCodeAt(start) === newText.charCodeAt(start)) start++;
  let end = 0;
  while (end < shorter - start && oldText.at(-1 - end) === newText.at(-1 - end)) end++;
  // The replaced range must never split a CRLF or a surrogate pair.
  while (start > 0 && isInsideUnit(oldText, newText, start)) start--;
  while (end > 0 && isInsideUnit(oldText, newText, oldText.length - end, newText.length - end)) end--;
  return { from: start, to: oldText.length - end, inserted: newText.slice(start, newText.length - end) };
}

function isInsideUnit(oldText: string, newText: string, inOld: number, inNew = inOld): boolean {
  return splits(oldText, inOld) || splits(newText, inNew);
}

function splits(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return (
    (before === 13 && after === 10) || (before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff)
  );
}
