import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** What a person without nginx is told. */
export const nginxMissing =
  "no nginx found: run `sudo bash .scripts/install.sh nginx`, or set FIELDROLL_NGINX to the path of one";

/** The program that FIELDROLL_NGINX names, or the one on PATH; `none` stands for a machine without. */
export function findNginx(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env.FIELDROLL_NGINX;
  if (named === "none") return undefined;
  if (named) return named;
  const folders = [...(env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, "nginx")).find(isProgram);
}

/**
 * Whether a run of the tests first installs nginx: one that would use it, on a machine that has none, where no password is asked for.
 *
 * @param machine.canInstall whether this process may install packages by apt-get
 */
export function installsNginx(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  machine: { readonly canInstall: boolean; readonly hasNginx: boolean },
): boolean {
  const projects = args.filter((arg) => arg.startsWith("--project="));
  const isUsed = projects.length === 0 || projects.includes("--project=node");
  return isUsed && !env.FIELDROLL_NGINX && !machine.hasNginx && machine.canInstall;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A proxy before a server. */
export interface ReverseProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts nginx before a server, with a configuration of its own in a folder that is deleted at the end.
 *
 * @param lines directives for the location of the server
 */
export async function startNginx(
  program: string,
  server: string,
  lines: readonly string[],
): Promise<ReverseProxy> {
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-nginx-"));
  // Started by root it would give its rights up itself; this way all of its files are of one user.
  await chmod(folder, 0o777);
  const port = await freePort();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const config = [
    "daemon off; master_process off; error_log stderr;",
    `pid ${join(folder, "nginx.pid")};`,
    "events {}",
    "http {",
    "access_log off;",
    ...temporary.map((name) => `${name}_temp_path ${join(folder, name)};`),
    `server { listen 127.0.0.1:${port}; location / { proxy_pass ${server}; proxy_http_version 1.1; ${lines.join(" ")} } }`,
    "}",
  ];
  const path = join(folder, "nginx.conf");
  await writeFile(path, config.join("\n"));
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(program, ["-e", "stderr", "-p", folder, "-c", path], {
    ...{ stdio: ["ignore", "ignore", "pipe"], cwd: "/" },
    ...nobody,
  });
  let said = "";
  let hasEnded = false;
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve())).then(() => {
    hasEnded = true;
  });
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(url, () => hasEnded).catch((error: unknown) => {
    throw new Error(`nginx does not answer (${String(error)}): ${said}`);
  });
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  return { url, stop };
}

async function untilItAnswers(url: string, hasEnded: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    try {
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      return;
    } catch (error) {
      if (hasEnded() || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
