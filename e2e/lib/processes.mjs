// Programs that tests start and that must not outlive them.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";

const running = new Set();

/** Returns a program's path, or throws an error that names the remedy. */
export function installed(program, remedy) {
  if (!existsSync(program)) {
    throw new Error(`${program} is missing: ${remedy}`);
  }
  return program;
}

/**
 * Starts a program as the leader of a process group. The group is killed when
 * its leader or our own process ends.
 *
 * @param {string} program its path
 * @param {string} remedy what to do if it is missing
 */
export function start(program, remedy, args, options) {
  installed(program, remedy);
  const leader = spawn(program, args, { detached: true, ...options });
  running.add(leader);
  leader.once("exit", () => {
    end(leader);
    running.delete(leader);
  });
  return leader;
}

/** Kills a process group with SIGKILL. */
export function end(leader) {
  try {
    process.kill(-leader.pid, "SIGKILL");
  } catch {
    // All processes have already ended.
  }
}

process.once("exit", () => running.forEach(end));
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
  process.once(signal, () => process.exit(128 + number));
}
