import { platformOf, type Platform } from "../../registry/start-plan.js";

/** The platform that this process runs on, as registries name it. */
export function currentPlatform(): Platform {
  return platformOf(process.platform, process.arch, process.platform === "linux" && isMusl());
}

/** Node's report names the version of glibc that runs, and nothing where another libc does. */
function isMusl(): boolean {
  // Otherwise the report looks up the names of open connections, which can take seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime === undefined;
}
