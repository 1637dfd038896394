import { LoginStore } from "../../../../src/context/servers/node/oauth/login-store.js";
import { SecretFile } from "../../../../src/context/servers/node/secrets/secret-file.js";

/** A process of its own: renews the token of the sign-in in FOLDER to URL, and prints it. */
const [folder = "", url = "", used = ""] = process.argv.slice(2);
const store = new LoginStore({ file: new SecretFile({ folder, keyStore: undefined }), fetch });
const token = await store.renew(url, used);
process.stdout.write(token ?? "none");
