// The checks of the ACP Registry's own build, as far as they need no network: the entry's schema, versions and addresses.

const platforms = ["darwin", "linux", "windows"].flatMap((system) => [`${system}-aarch64`, `${system}-x86_64`]);
const installers = [".dmg", ".pkg", ".deb", ".rpm", ".msi", ".appimage"];
const stringList = { is: (value) => Array.isArray(value) && value.every(isString), what: "a list of strings" };
const text = { is: (value) => isString(value) && value !== "", what: "a text" };
const webAddress = { is: (value) => isString(value) && /^https:\/\/\S+$/.test(value), what: "an https address" };
const variables = {
  is: (value) => isObject(value) && Object.values(value).every(isString),
  what: "an object of texts",
};
const object = { is: isObject, what: "an object" };

const entryShape = {
  required: ["id", "name", "version", "description", "distribution"],
  members: {
    id: { is: (value) => isString(value) && /^[a-z][a-z0-9-]*$/.test(value), what: "lower-case letters, digits and -" },
    name: text,
    version: { is: isVersion, what: "three numbers" },
    description: text,
    repository: webAddress,
    website: webAddress,
    authors: stringList,
    license: text,
    license_url: webAddress,
    distribution: object,
    preview: object,
  },
};
const packageShape = { required: ["package"], members: { package: text, args: stringList, env: variables } };
const targetShape = {
  required: ["archive", "cmd"],
  members: {
    archive: webAddress,
    cmd: text,
    args: stringList,
    env: variables,
    sha256: { is: (value) => isString(value) && /^[0-9a-f]{64}$/.test(value), what: "64 hexadecimal digits" },
  },
};

/** Returns the reasons why the registry would reject `entry` in a folder `folderName`: one sentence each, none if it is valid. */
export function registryProblems(entry, folderName) {
  const problems = shapeProblems(entry, entryShape, "the entry");
  if (problems.length > 0) return problems;
  const { id, version, distribution, preview } = entry;
  if (id !== folderName) problems.push(`id is "${id}", and its folder "${folderName}".`);
  problems.push(...distributionProblems(distribution, version));
  if (preview !== undefined) {
    const shape = {
      required: ["version", "distribution"],
      members: { version: { is: isString, what: "a text" }, distribution: object },
    };
    const inPreview = shapeProblems(preview, shape, "preview");
    problems.push(...inPreview);
    if (inPreview.length === 0) problems.push(...distributionProblems(preview.distribution, preview.version));
  }
  return problems;
}

function distributionProblems(distribution, version) {
  const kinds = Object.keys(distribution);
  if (kinds.length === 0) return ["distribution is empty."];
  return kinds.flatMap((kind) => {
    if (kind === "npx" || kind === "uvx") return packageProblems(kind, distribution[kind], version);
    if (kind === "binary") return binaryProblems(distribution.binary, version);
    return [`distribution.${kind} is no kind of distribution.`];
  });
}

function packageProblems(kind, value, version) {
  const problems = shapeProblems(value, packageShape, `distribution.${kind}`);
  if (problems.length > 0) return problems;
  const named = /(?:@|==)([^@=]+)$/.exec(value.package.replace(/^@/, ""))?.[1];
  return named === version ? [] : [`distribution.${kind}.package names version ${named ?? "none"}, not ${version}.`];
}

function binaryProblems(binary, version) {
  if (!isObject(binary) || Object.keys(binary).length === 0) return ["distribution.binary has no platform."];
  return Object.entries(binary).flatMap(([platform, target]) => {
    const where = `distribution.binary.${platform}`;
    if (!platforms.includes(platform)) return [`${where} is no platform.`];
    const problems = shapeProblems(target, targetShape, where);
    return problems.length > 0 ? problems : targetProblems(target, version, where);
  });
}

function targetProblems({ archive, cmd }, version, where) {
  const path = new URL(archive).pathname;
  const released = /\/download\/v?([^/]+)\//.exec(path)?.[1];
  return [
    ...(installers.some((ending) => path.toLowerCase().endsWith(ending)) ? [`${where}.archive is an installer.`] : []),
    ...(path.includes("/latest/") ? [`${where}.archive is that of no version.`] : []),
    ...(released !== undefined && released !== version
      ? [`${where}.archive is that of ${released}, not ${version}.`]
      : []),
    // Zed starts no other command.
    ...(cmd === "node" || (cmd.startsWith("./") && !cmd.includes("..")) ? [] : [`${where}.cmd has to begin with ./`]),
  ];
}

function shapeProblems(value, { required, members }, where) {
  if (!isObject(value)) return [`${where} is no object.`];
  return [
    ...required.filter((name) => !(name in value)).map((name) => `${where} has no ${name}.`),
    ...Object.entries(value).flatMap(([name, member]) => {
      const shape = Object.hasOwn(members, name) ? members[name] : undefined;
      if (shape === undefined) return [`${where} may have no ${name}.`];
      return shape.is(member) ? [] : [`${name} of ${where} has to be ${shape.what}.`];
    }),
  ];
}

function isString(value) {
  return typeof value === "string";
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isVersion(value) {
  return isString(value) && /^\d+\.\d+\.\d+$/.test(value);
}
