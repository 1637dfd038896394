import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import { unpack, type UnpackOptions } from "../../../src/base/node/archives/unpack.js";
import { tarArchive, type TarMember } from "./archive-bytes.js";
import { treeOf } from "./install-fixture.js";

/** Files around the extraction root, which unpacking must not change. */
const canary = { "canary/x": "untouched", "canary/run": "untouched", "canary/deep/x": "untouched" };

export const tgz = (...members: readonly TarMember[]): Buffer => gzipSync(tarArchive(members));

/** A folder to unpack into, with other files around it. */
export class UnpackStage implements AsyncDisposable {
  private constructor(
    private readonly home: string,
    readonly root: string,
  ) {}

  static async open(): Promise<UnpackStage> {
    const home = await mkdtemp(join(tmpdir(), "symposium-unpack-"));
    const root = join(home, "canary", "deep", "root");
    await mkdir(root, { recursive: true });
    for (const [path, text] of Object.entries(canary)) await writeFile(join(home, path), text);
    return new UnpackStage(home, root);
  }

  /** Unpacks and checks that nothing around the root has changed. */
  async extract(ending: string, archive: Buffer, options: Partial<UnpackOptions> = {}): Promise<string> {
    const { home, root } = this;
    const file = join(home, "download");
    await rm(root, { recursive: true });
    await mkdir(root);
    await writeFile(file, archive);
    try {
      return await unpack({
        file,
        root,
        url: `https://example.com/agent${ending}`,
        program: "./run",
        signal: new AbortController().signal,
        onProgress: () => undefined,
        ...options,
      });
    } finally {
      await rm(file);
      const around = Object.entries(await treeOf(home)).filter(([path]) => !path.startsWith("canary/deep/root/"));
      const folders = { canary: null, "canary/deep": null, "canary/deep/root": null };
      assert.deepEqual(Object.fromEntries(around), { ...folders, ...canary }, "something escaped");
    }
  }

  async refused(ending: string, archive: Buffer, code: string, message: RegExp): Promise<void> {
    await assert.rejects(this.extract(ending, archive), (error: unknown) => {
      assert.ok(error instanceof SymposiumError, String(error));
      assert.deepEqual([error.code, message.test(error.message)], [code, true], error.message);
      return true;
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.home, { recursive: true, force: true });
  }
}
