import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, SymposiumError } from "../../../../base/symposium-error.js";
import { systemCode } from "../../../../base/node/atomic-write.js";
import { changePrivateFile } from "../../../../base/node/json-file.js";
import { configFolder } from "../../../../base/node/own-program.js";
import { asObject } from "../../../../base/rpc/json.js";
import { type KeyStore, systemKeyStore } from "./key-store.js";

interface SecretFileOptions {
  /** Folder of the file; defaults to the folder of config.jsonc. */
  readonly folder?: string;
  /** Undefined stores the values unencrypted, in a file that only the user can read. */
  readonly keyStore?: KeyStore | undefined;
}

/** Location of the encryption key; null if the values aren't encrypted. */
type KeyPlace = { readonly in: string; readonly reference: string } | null;

interface Content {
  /** Location of the encryption key; undefined if the file doesn't exist yet. */
  readonly key?: KeyPlace;
  /** Values by name; base64 if encrypted. */
  readonly values: Readonly<Record<string, string>>;
}

const nothingKept: Content = { values: {} };
const algorithm = "aes-256-gcm";
const [ivBytes, tagBytes, keyBytes] = [12, 16, 32];

/**
 * Stores named values for the user's MCP servers in `secrets.json` next to config.jsonc, shared by all of the user's processes. Values are
 * encrypted with a key in the system's store if there is one; names are readable. Only the user can read the file.
 */
export class SecretFile {
  readonly path: string;
  readonly #keyStore: KeyStore | undefined;
  #seen: { readonly version: string; readonly content: Content } | undefined;
  #key: { readonly reference: string; readonly key: Promise<Buffer> } | undefined;

  constructor(options: SecretFileOptions = {}) {
    this.path = join(options.folder ?? configFolder(), "secrets.json");
    this.#keyStore = "keyStore" in options ? options.keyStore : userKeyStore();
  }

  async names(): Promise<readonly string[]> {
    return Object.keys((await this.#read()).values).sort();
  }

  /** Rejects with `secrets-not-read` if the value exists but can't be read. */
  async get(name: string): Promise<string | undefined> {
    const { key, values } = await this.#read();
    const kept = Object.hasOwn(values, name) ? values[name] : undefined;
    if (kept === undefined) return undefined;
    return key ? this.#open(kept, name, await this.#keyAt(key)) : kept;
  }

  async set(name: string, value: string): Promise<void> {
    await this.#change(async ({ key: place, values }) => {
      const { key, secret } = await this.#keyFor(place);
      return { key, values: { ...values, [name]: secret ? seal(value, name, secret) : value } };
    });
  }

  async remove(name: string): Promise<boolean> {
    let isKnown = false;
    await this.#change((content) => {
      const { [name]: old, ...values } = content.values;
      isKnown = old !== undefined;
      return Promise.resolve(isKnown ? { ...content, values } : content);
    });
    return isKnown;
  }

  async protection(): Promise<string> {
    const { key } = await this.#read();
    if (key === undefined) return `Nothing is stored in ${this.path} yet.`;
    if (key === null) return `The values are in ${this.path}, unencrypted but readable only by you.`;
    return `The values are in ${this.path}, encrypted with a key in ${this.#titleOf(key)}.`;
  }

  /** Returns a value that changes whenever the file changes. */
  async version(): Promise<string> {
    try {
      const { mtimeMs, size, ino } = await stat(this.path);
      return `${ino}:${mtimeMs}:${size}`;
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return "absent";
      throw this.#unreadable(messageOf(error));
    }
  }

  async #read(): Promise<Content> {
    const version = await this.version();
    if (this.#seen?.version === version) return this.#seen.content;
    const content = version === "absent" ? nothingKept : await this.#parse();
    this.#seen = { version, content };
    return content;
  }

  async #parse(): Promise<Content> {
    let members: Readonly<Record<string, unknown>> | undefined;
    try {
      members = asObject(JSON.parse(await readFile(this.path, "utf8")));
    } catch (error) {
      // A syntax error's message would quote the file's content.
      throw this.#unreadable(error instanceof SyntaxError ? "it isn't valid JSON" : messageOf(error));
    }
    const values = asObject(members?.["values"]);
    const key = members?.["key"];
    const place = asObject(key);
    const { in: store, reference } = place ?? {};
    if (!values || Object.values(values).some((value) => typeof value !== "string")) {
      throw this.#unreadable("it has no values");
    }
    if (key !== null && (typeof store !== "string" || typeof reference !== "string")) {
      throw this.#unreadable("it doesn't say how its values are stored");
    }
    const found = typeof store === "string" && typeof reference === "string" ? { in: store, reference } : null;
    return { key: found, values: values as Record<string, string> };
  }

  async #change(edit: (content: Content) => Promise<Content>): Promise<void> {
    await changePrivateFile(this.path, "secrets-not-kept", async () => {
      const before = await this.#read();
      const after = await edit(before);
      return after === before ? undefined : `${JSON.stringify(after, undefined, 2)}\n`;
    });
  }

  /** Returns the file's key. A new file gets a key if the system has a working store. */
  async #keyFor(place: KeyPlace | undefined): Promise<{ readonly key: KeyPlace; readonly secret?: Buffer }> {
    if (place === null) return { key: null };
    if (place) return { key: place, secret: await this.#keyAt(place) };
    const store = this.#keyStore;
    if (!store) return { key: null };
    const secret = randomBytes(keyBytes);
    try {
      const reference = await store.keep(secret.toString("hex"));
      // Some stores accept a value but don't store it.
      if ((await store.read(reference)) !== secret.toString("hex")) return { key: null };
      this.#key = { reference, key: Promise.resolve(secret) };
      return { key: { in: store.id, reference }, secret };
    } catch {
      return { key: null };
    }
  }

  /** Reads the key once per process, since the store may ask the user. */
  #keyAt({ in: id, reference }: NonNullable<KeyPlace>): Promise<Buffer> {
    if (this.#key?.reference === reference) return this.#key.key;
    const key = this.#readKey(id, reference);
    this.#key = { reference, key };
    // Allows a retry after a failure.
    key.catch(() => (this.#key = undefined));
    return key;
  }

  async #readKey(id: string, reference: string): Promise<Buffer> {
    const title = this.#titleOf({ in: id, reference });
    let text: string;
    try {
      if (this.#keyStore?.id !== id) throw new Error("it isn't available here");
      text = await this.#keyStore.read(reference);
    } catch (error) {
      throw this.#unreadable(
        `its key is in ${title}: ${messageOf(error)}`,
        `Unlock ${title} and try again; ${startAnew(this.path)}`,
      );
    }
    const key = Buffer.from(text, "hex");
    if (key.length === keyBytes) return key;
    throw this.#unreadable(`its key is no longer in ${title}`, `Otherwise ${startAnew(this.path)}`);
  }

  #open(kept: string, name: string, key: Buffer): string {
    const bytes = Buffer.from(kept, "base64");
    try {
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes));
      decipher.setAAD(Buffer.from(name));
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
    } catch {
      throw this.#unreadable(`"${name}" in it was changed outside Symposium`);
    }
  }

  #titleOf({ in: id }: NonNullable<KeyPlace>): string {
    return this.#keyStore?.id === id ? this.#keyStore.title : `the store "${id}"`;
  }

  #unreadable(reason: string, hint = `Fix the file, or ${startAnew(this.path)}`): SymposiumError {
    return new SymposiumError("secrets-not-read", `${this.path} cannot be read: ${reason}.`, hint);
  }
}

/** Authenticates the name with the value, so that nobody can swap values. */
function seal(value: string, name: string, key: Buffer): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv);
  cipher.setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
}

function startAnew(path: string): string {
  return `delete ${path}, then enter your secrets and sign in again.`;
}

/** `SYMPOSIUM_SECRET_STORE=file` is for machines whose secret store isn't always available, for example in ssh sessions. */
function userKeyStore(): KeyStore | undefined {
  return process.env["SYMPOSIUM_SECRET_STORE"] === "file" ? undefined : systemKeyStore();
}
