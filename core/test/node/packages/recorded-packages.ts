import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What a client of an ecosystem said of real projects, recorded. */
export function recordedPackages(name: string): unknown {
  const place = new URL(`../../../../test/node/packages/recorded/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(fileURLToPath(place), "utf8"));
}
