// Checks an extension.toml against the requirements of Zed and its gallery, without running Zed.

const headers = ["id", "name", "version", "schema_version", "authors", "description", "repository"];
const features = ["agent_servers", "context_servers"];
const platforms = ["darwin", "linux", "windows"].flatMap((system) => [`${system}-aarch64`, `${system}-x86_64`]);
const archives = [".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2"];
/** The first version that ignores agents of extensions. */
const firstWithoutAgents = [1, 5];

/**
 * What is wrong with the parsed `manifest` of an extension: one sentence each, none when it is sound. `files` are the
 * paths in its folder; `zed` is the oldest version that it is meant for, such as "1.4.4".
 */
export function extensionProblems(manifest, { files, zed }) {
  const known = new Set([...headers, ...features, "lib", "capabilities"]);
  return [
    ...headers.filter((name) => manifest[name] === undefined).map((name) => `${name} is missing.`),
    ...Object.keys(manifest)
      .filter((name) => !known.has(name))
      .map((name) => `${name} is not known to Zed.`),
    ...(manifest.schema_version === 1 ? [] : ["schema_version has to be 1."]),
    ...galleryProblems(manifest),
    ...(features.some((name) => manifest[name] !== undefined) ? [] : ["It provides no feature."]),
    ...agentProblems(manifest.agent_servers, { files, zed }),
    ...contextServerProblems(manifest.context_servers, files),
  ];
}

function galleryProblems({ id = "", name = "", repository = "" }) {
  const isProductName = (text) => /^zed\b|\bzed$|extension/i.test(text);
  return [
    ...(/^[a-z0-9-]+$/.test(id) ? [] : [`id "${id}" has more than lower-case letters, digits and -.`]),
    ...(isProductName(id) ? [`id "${id}" names Zed or says extension.`] : []),
    ...(isProductName(name) ? [`name "${name}" names Zed or says extension.`] : []),
    ...(repository.startsWith("https://") ? [] : ["repository is no https address."]),
  ];
}

function agentProblems(agents, { files, zed }) {
  if (agents === undefined) return [];
  const [major = 0, minor = 0] = zed.split(".").map(Number);
  const isIgnored =
    major > firstWithoutAgents[0] || (major === firstWithoutAgents[0] && minor >= firstWithoutAgents[1]);
  return [
    ...(isIgnored ? [`Zed ${zed} ignores agent_servers.`] : []),
    ...Object.entries(agents).flatMap(([id, { name, icon, targets = {} }]) => [
      ...(typeof name === "string" ? [] : [`agent_servers.${id} has no name.`]),
      ...(icon === undefined || files.includes(icon) ? [] : [`The icon ${icon} is not there.`]),
      ...(Object.keys(targets).length === 0 ? [`agent_servers.${id} has no target.`] : []),
      ...Object.entries(targets).flatMap(([platform, target]) => targetProblems(platform, target)),
    ]),
  ];
}

function targetProblems(platform, { archive = "", cmd = "", sha256, ...others }) {
  const isRelative = /^\.[\\/]/.test(cmd) && !cmd.includes("..");
  return [
    ...(platforms.includes(platform) ? [] : [`${platform} is no platform.`]),
    ...(archives.some((ending) => archive.endsWith(ending)) ? [] : [`Zed cannot unpack ${archive}.`]),
    // From Zed 0.230 on the folder is the project's: an argument that is a path of the archive would be looked for there.
    ...(isRelative ? [] : [`cmd "${cmd}" of ${platform} is no executable in the archive.`]),
    ...(sha256 === undefined || /^[0-9a-f]{64}$/.test(sha256) ? [] : [`sha256 of ${platform} is no SHA-256.`]),
    // Read, and never applied.
    ...("env" in others ? [`env of ${platform} has no effect; it belongs on the agent.`] : []),
  ];
}

function contextServerProblems(servers, files) {
  if (servers === undefined) return [];
  return [
    ...["Cargo.toml", "src/lib.rs", "LICENSE"]
      .filter((file) => !files.includes(file))
      .map((file) => `${file} is missing.`),
    ...Object.entries(servers).flatMap(([id, { name }]) =>
      typeof name === "string" ? [] : [`context_servers.${id} has no name.`],
    ),
  ];
}
