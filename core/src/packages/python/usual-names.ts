/** Modules whose distribution has another name, for those that are not installed: what is installed says it itself. */
const distributions: Readonly<Record<string, string>> = {
  attr: "attrs",
  bs4: "beautifulsoup4",
  Crypto: "pycryptodome",
  cv2: "opencv-python",
  dateutil: "python-dateutil",
  discord: "discord.py",
  docx: "python-docx",
  dotenv: "python-dotenv",
  fitz: "PyMuPDF",
  git: "GitPython",
  "google.protobuf": "protobuf",
  grpc: "grpcio",
  jose: "python-jose",
  jwt: "PyJWT",
  magic: "python-magic",
  multipart: "python-multipart",
  MySQLdb: "mysqlclient",
  OpenSSL: "pyOpenSSL",
  PIL: "pillow",
  pkg_resources: "setuptools",
  pptx: "python-pptx",
  psycopg2: "psycopg2-binary",
  serial: "pyserial",
  skimage: "scikit-image",
  sklearn: "scikit-learn",
  slugify: "python-slugify",
  yaml: "PyYAML",
  zmq: "pyzmq",
};

/** Names that the distribution of a module may have, the likeliest first. */
export function usualDistributions(module: readonly string[], given: string | undefined): readonly string[] {
  const prefixes = module.map((_, index) => module.slice(0, module.length - index));
  const known = prefixes.flatMap((parts) => distributions[parts.join(".")] ?? []);
  return [...known, ...(given === undefined ? [] : [given]), ...prefixes.map((parts) => parts.join("-"))];
}
