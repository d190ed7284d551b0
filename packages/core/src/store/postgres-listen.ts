// Hears of other processes' commits over a connection of its own. Whatever goes wrong with it only makes news slower:
// the pulse goes on, and a new connection is tried.
import type { Client } from 'pg';

const pulseEvery = 2_000;
const longestPause = 10_000;

export interface Ear {
  start(): void;
  stop(): Promise<void>;
}

export function createEar(connect: () => Client, channel: string, tell: () => void): Ear {
  let pulse: NodeJS.Timeout | undefined;
  let again: NodeJS.Timeout | undefined;
  let current: Client | undefined;

  async function listen(pause: number): Promise<void> {
    const client = connect();
    current = client;
    let heard = false;
    const lost = () => {
      if (current !== client) return;
      current = undefined;
      const next = heard ? 100 : Math.min(pause * 2, longestPause);
      again = setTimeout(() => void listen(next), next).unref();
      void client.end().catch(() => {});
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', tell);
    try {
      await client.connect();
      // Listening is no reason to stay alive.
      (client as Client & { unref(): void }).unref();
      await client.query(`LISTEN ${channel}`);
      heard = true;
      // For what was written while nobody listened.
      tell();
    } catch {
      lost();
    }
  }

  return {
    start: () => {
      if (pulse) return;
      pulse = setInterval(tell, pulseEvery).unref();
      void listen(100);
    },
    stop: async () => {
      clearInterval(pulse);
      clearTimeout(again);
      pulse = undefined;
      const client = current;
      current = undefined;
      await client?.end().catch(() => {});
    },
  };
}
