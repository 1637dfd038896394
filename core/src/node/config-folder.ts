import { join, resolve } from "node:path";

/** The folder of the product's own files: SYMPOSIUM_CONFIG_DIR where it is set, else `.symposium` in `homeFolder`. */
export function configFolder(env: Readonly<Record<string, string | undefined>>, homeFolder: string): string {
  const moved = env["SYMPOSIUM_CONFIG_DIR"];
  return moved === undefined || moved === "" ? join(homeFolder, ".symposium") : resolve(moved);
}
