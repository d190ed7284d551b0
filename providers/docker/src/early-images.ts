import type { Engine, ImageInfo } from './client.ts';

/** Answers about images that were asked for before anybody needed them. Each is used once, and soon. */
export interface EarlyImages {
  askEarly(engine: Engine, image: string): void;
  /** Undefined when nobody asked, nothing came of it, or the engine does not have it. */
  take(engine: Engine, image: string): Promise<ImageInfo | undefined>;
}

/** An image may go while the answer is kept; who makes a container of it then is told so by the engine. */
const freshFor = 5_000;

export function createEarlyImages(): EarlyImages {
  const asked = new Map<string, { readonly at: number; readonly answer: Promise<ImageInfo | undefined> }>();
  const keyOf = (engine: Engine, image: string) => `${engine.address} ${image}`;
  return {
    askEarly(engine, image) {
      const answer = engine.image(image, AbortSignal.timeout(freshFor)).catch(() => undefined);
      asked.set(keyOf(engine, image), { at: Date.now(), answer });
    },
    async take(engine, image) {
      const early = asked.get(keyOf(engine, image));
      asked.delete(keyOf(engine, image));
      return early && Date.now() - early.at < freshFor ? early.answer : undefined;
    },
  };
}
