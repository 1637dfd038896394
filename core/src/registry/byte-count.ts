const units = ["kB", "MB", "GB", "TB"] as const;

/** A number of bytes for people, such as `34.2 MB`. */
export function byteCount(bytes: number): string {
  let amount = bytes / 1000;
  let unit: string = units[0];
  for (const larger of units.slice(1)) {
    if (amount < 999.95) break;
    amount /= 1000;
    unit = larger;
  }
  return `${amount.toFixed(1)} ${unit}`;
}
