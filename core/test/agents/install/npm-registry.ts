import { createHash } from "node:crypto";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { tarArchive } from "./archive-bytes.js";
import type { LoopbackServer } from "./install-fixture.js";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A registry of npm on this machine, and the environment in which npm knows no other. */
export class NpmRegistry {
  readonly #releases = new Map<string, Record<string, object>>();

  constructor(
    private readonly server: LoopbackServer,
    private readonly home: string,
  ) {}

  get env(): NodeJS.ProcessEnv {
    const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
    return {
      ...Object.fromEntries(own),
      npm_config_registry: this.server.url("/"),
      npm_config_cache: join(this.home, "npm-cache"),
      npm_config_userconfig: join(this.home, "npmrc"),
      npm_config_fetch_retries: "0",
    };
  }

  /** The newest that is published is the latest. */
  publish(manifest: Manifest, files: Readonly<Record<string, string>>): void {
    const { name, version } = manifest;
    const all = { ...files, "package.json": JSON.stringify(manifest) };
    const members = Object.entries(all).map(([path, data]) => ({ name: `package/${path}`, data, mode: 0o755 }));
    const tarball = gzipSync(tarArchive(members));
    const path = `/${name}/-/${version}.tgz`;
    const unpackedSize = Object.values(all).join("").length;
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const releases = this.#releases.get(name) ?? {};
    const hasInstallScript = manifest.scripts?.["postinstall"] !== undefined;
    releases[version] = {
      ...manifest,
      hasInstallScript,
      dist: { tarball: this.server.url(path), integrity, unpackedSize },
    };
    this.#releases.set(name, releases);
    this.server.files.set(path, tarball);
    const text = JSON.stringify({ name, "dist-tags": { latest: version }, versions: releases });
    this.server.files.set(`/${name}`, text);
  }
}
