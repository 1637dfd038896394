/** A script of scripts/release, which knows no types; `Module` is what the test expects of it. */
export async function releaseScript<Module>(name: string): Promise<Module> {
  return (await import(new URL(`../../../../../scripts/release/${name}`, import.meta.url).href)) as Module;
}

/** A row of the table of platforms. */
export interface PlatformRow {
  readonly name: string;
  readonly archive: string;
  readonly executable: string;
  readonly bun: string;
  readonly vsix: string;
  readonly registry?: string;
  readonly zed?: string;
}

/** The folder of the Zed side in the repository. */
export const zedExtension = new URL("../../../../../zed-extension/", import.meta.url);
