import type { Samples } from "../samples.js";
import { withUnit } from "../table.js";
import type { ReleaseLane } from "./release-lane.js";

const mebibyte = 2 ** 20;
const header = ["release", "download", "on disk", "initialize, p50", "p90", "memory, p50"];

/** A line for each lane, with how many times the first lane's start and memory it has; samples are `NAME` in ms and `NAME memory` in MiB. */
export function formatReleaseTable(lanes: readonly ReleaseLane[], samples: Samples): string {
  const [first] = lanes;
  const rows = lanes.map(({ name, download, disk }) => {
    const against = (lane: string, base: string): string => {
      const [value, from] = [samples.median(lane), samples.median(base)];
      return value === undefined || from === undefined || lane === base ? "" : ` (${(value / from).toFixed(2)}x)`;
    };
    return [
      name,
      withUnit(download && download / mebibyte, "MiB"),
      withUnit(disk && disk / mebibyte, "MiB"),
      `${withUnit(samples.median(name), "ms")}${against(name, first?.name ?? "")}`,
      withUnit(samples.percentile(name, 90), "ms"),
      `${withUnit(samples.median(`${name} memory`), "MiB")}${against(`${name} memory`, `${first?.name ?? ""} memory`)}`,
    ];
  });
  const asLine = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [asLine(header), asLine(header.map(() => "---")), ...rows.map(asLine)].join("\n");
}
