import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const name = "recommendations.toml";
/** From the deepest folder that this module is compiled into up to the package's own; what is above belongs to others. */
const maxLevels = 4;

/** The recommendations that come with the product: the nearest file of that name above this module. */
export function shippedFile(module: string = import.meta.url): string {
  const start = dirname(fileURLToPath(module));
  let folder = start;
  for (let level = 0; level <= maxLevels; level++) {
    const file = join(folder, name);
    if (existsSync(file)) return file;
    if (existsSync(join(folder, "package.json"))) break;
    folder = dirname(folder);
  }
  return join(start, name);
}
