import { rm } from "node:fs/promises";
import { join } from "node:path";
import { SymposiumError } from "../../base/symposium-error.js";
import type { ArchivePlan } from "../registry/start-plan.js";
import { digestKey, type InstallState } from "./install-state.js";
import { contentLength, download } from "./download.js";
import type { InstallContext } from "../../base/node/archives/install-progress.js";
import type { Built, InstallPreview, InstallSource, InstallTools, Release } from "./install-source.js";
import { archiveFormat, unpack } from "../../base/node/archives/unpack.js";

export class ArchiveSource implements InstallSource {
  constructor(
    private readonly plan: ArchivePlan,
    private readonly tools: InstallTools,
  ) {
    archiveFormat(plan.url);
  }

  resolve(): Promise<Release> {
    return Promise.resolve({ version: this.plan.version });
  }

  async preview(_folder: string, { signal }: InstallContext): Promise<InstallPreview> {
    const bytes = await contentLength(this.plan.url, signal, this.tools.fetch);
    return { version: this.plan.version, size: bytes === undefined ? { kind: "unknown" } : { kind: "file", bytes } };
  }

  async build(root: string, _release: Release, state: InstallState, context: InstallContext): Promise<Built> {
    const { url, program, version } = this.plan;
    const { limits, fetch } = this.tools;
    const file = join(root, "..", `.download-${process.pid}-${Date.now()}`);
    try {
      const { digest } = await download(url, file, {
        ...context,
        maxBytes: limits.maxDownloadBytes,
        ...(fetch !== undefined && { fetch }),
      });
      context.onProgress({ step: "verify", text: `Verifying ${url}` });
      this.#verify(digest, state);
      const launched = await unpack({ ...context, file, url, root, program, limits });
      return { version, digest, launch: { runner: "self", file: launched } };
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Compares the archive's digest with the registry's digest, or else with the digest of the URL's first download. */
  #verify(digest: string, { digests }: InstallState): void {
    const { url, version, sha256 } = this.plan;
    const expected = sha256?.toLowerCase() ?? digests[digestKey(version, url)];
    if (expected === undefined || expected === digest) return;
    const [source, hint] =
      sha256 === undefined
        ? [
            "the first download had",
            "If the publisher replaced the file on purpose, remove the installation and install it again.",
          ]
        : ["the registry says", "Don't use this file. Try again later, or report the mismatch to the publisher."];
    throw new SymposiumError(
      "checksum-mismatch",
      `"${url}" doesn't match its checksum: its SHA-256 is ${digest}, but ${source} ${expected}.`,
      hint,
    );
  }
}
