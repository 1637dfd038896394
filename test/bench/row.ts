/** One line of the table. Values are in `unit`; one that was not, or cannot be, measured is absent. */
export interface Row {
  readonly measure: string;
  readonly unit:
    | "updates/s"
    | "MiB/s"
    | "µs"
    | "ms"
    | "MiB"
    | "KB"
    | "MiB per 1,000 turns"
    | "bytes"
    | "processes"
    | "spans";
  readonly direct?: number | undefined;
  readonly ours: number | undefined;
  readonly rust?: number | undefined;
  /** What is wanted of `ours`; measures without one are for information. */
  readonly target?: Target;
  /** True where `ours` and `rust` are what comes on top of `direct`. */
  readonly isAdded?: boolean;
}

type Target =
  | { readonly atLeast: number }
  | { readonly atMost: number }
  /** Of the ratio to `direct`. */
  | { readonly atLeastRatio: number };

export function isMet(row: Row): boolean | undefined {
  const { ours, target } = row;
  if (ours === undefined || target === undefined) return undefined;
  if ("atLeastRatio" in target) {
    const ratio = ratioToDirect(row);
    return ratio === undefined ? undefined : ratio >= target.atLeastRatio;
  }
  return "atLeast" in target ? ours >= target.atLeast : ours <= target.atMost;
}

/** The through-the-conductor value against the direct one. */
export function ratioToDirect({ direct, ours, isAdded }: Row): number | undefined {
  if (direct === undefined || ours === undefined) return undefined;
  return (isAdded === true ? direct + ours : ours) / direct;
}
