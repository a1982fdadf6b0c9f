/** Vectors of passages and searches, where an endpoint for them is configured; inactive without one. */

import { readFileSync, statSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { SECOND, steadyClock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { BackgroundWork } from '../../kernel/wake-loop.ts';
import { createEmbed, type EmbeddingEndpoint } from '../../knowledge/embeddings/embedding-client.ts';
import { EMBEDDING_LIMITS } from '../../knowledge/embeddings/embedding-limits.ts';
import { createPassageEmbedder } from '../../knowledge/embeddings/passage-embedder.ts';
import { createQueryEmbedder, type EmbedQuery } from '../../knowledge/embeddings/query-embedder.ts';
import type { Resolver } from '../../net/dns/resolver.ts';
import { createGuardedHttp, type SendGuarded } from '../../net/http/guarded-client.ts';
import { useEmbeddingModel } from '../../store/knowledge/embeddings.ts';
import type { QueryVector } from '../../store/search/passages/passage-search.ts';
import type { Instance } from '../instance.ts';
import { StartError } from '../start-error.ts';

const OTHERS = 0o077;

/** @throws {StartError} where the key file is missing, readable by others, or holds no key */
const readEmbeddingEndpoint = ({ knowledge }: Config): EmbeddingEndpoint | null => {
  const { url, model, dimensions, api_key_file: file } = knowledge.embeddings;
  if (url === null) return null;
  if (file === null) return { url, model, dimensions, apiKey: null };
  const wrong = (what: string, cause?: unknown) =>
    new StartError(`knowledge.embeddings.api_key_file ${what}`, { cause });
  let apiKey: string;
  try {
    if ((statSync(file).mode & OTHERS) !== 0) throw wrong(`may be read by others: chmod 600 ${file}`);
    apiKey = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    throw wrong(`cannot be read: ${cause instanceof Error ? cause.message : cause}`, cause);
  }
  if (!/^[\x21-\x7e]{1,1000}$/.test(apiKey)) throw wrong('holds no key: one line of visible ASCII characters');
  return { url, model, dimensions, apiKey };
};

/** The operator chooses the endpoint, which may be on a private network. */
export const createEmbeddingHttp = (resolver: Resolver, extraCa: string | null) =>
  createGuardedHttp({ resolver, isAllowedPrivate: () => true, extraCa });

const PROBE_MS = 8 * SECOND;
/** For one request with the vectors that a search compares. */
const VECTORS_MS = 5 * SECOND;

/** Requests one vector. @returns the reason of a failure; null: it works */
export const probeEmbeddings = async (config: Config, request: SendGuarded): Promise<string | null> => {
  try {
    const endpoint = readEmbeddingEndpoint(config);
    const embedded = endpoint && (await createEmbed(request, endpoint)(['postroom'], PROBE_MS));
    return embedded === null || embedded.kind === 'vectors' ? null : embedded.reason;
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
};

export interface Embeddings {
  /** Null: the search goes by words alone. */
  toQueryVector(text: string): Promise<QueryVector | null>;
  /** Unit vectors, in the order of the texts. */
  toVectors(texts: readonly string[]): Promise<readonly Buffer[] | 'off' | 'failed'>;
  /** Called after a page is stored. */
  wake(): void;
  start(): Promise<void>;
  /** Begins to make the vectors of passages. */
  lead(): void;
  stop(): Promise<void>;
}

const OFF: Embeddings = {
  toQueryVector: async () => null,
  toVectors: async () => 'off',
  wake: () => {},
  start: async () => {},
  lead: () => {},
  stop: async () => {},
};

export interface EmbeddingsNeeds extends Pick<Instance, 'store' | 'runtime'> {
  resolver: Resolver;
  extraCa: string | null;
  log: Log;
  onError: (error: unknown) => void;
}

/** @throws {StartError} for a key that cannot be read */
export const createEmbeddings = (
  config: Config,
  { store, runtime, resolver, extraCa, log, onError }: EmbeddingsNeeds,
): Embeddings => {
  const endpoint = readEmbeddingEndpoint(config);
  if (endpoint === null) return OFF;
  const { model: name, dimensions } = endpoint;
  const limits = { ...EMBEDDING_LIMITS, ...runtime.embeddings };
  const http = createEmbeddingHttp(resolver, extraCa);
  const embed = createEmbed(http.request, endpoint);
  let running: { model: number; embedQuery: EmbedQuery; passages: BackgroundWork } | null = null;
  return {
    toQueryVector: async (text) => {
      if (running === null) return null;
      const { model, embedQuery } = running;
      const vector = await embedQuery(text);
      return vector && { model, vector };
    },
    toVectors: async (texts) => {
      if (running === null) return 'off';
      const atOnce = Math.max(1, Math.min(limits.passages, Math.floor(limits.numbers / dimensions)));
      const vectors: Buffer[] = [];
      for (let at = 0; at < texts.length; at += atOnce) {
        const embedded = await embed(texts.slice(at, at + atOnce), VECTORS_MS);
        if (embedded.kind !== 'vectors') return 'failed';
        vectors.push(...embedded.vectors);
      }
      return vectors;
    },
    wake: () => running?.passages.wake(),
    start: async () => {
      const fault = await store.findVectorFault();
      if (fault !== null) {
        log.warn(
          { reason: fault },
          'vectors cannot be compared on this machine: the knowledge base goes by words alone',
        );
        return;
      }
      const model = await store.write((tx) => useEmbeddingModel(tx, { name, dimensions }));
      const needs = { embed, limits, log, onError };
      const passages = createPassageEmbedder({ ...needs, store, model, dimensions });
      running = { model, embedQuery: createQueryEmbedder({ ...needs, clock: steadyClock }), passages };
    },
    lead: () => running?.passages.start(),
    stop: async () => {
      await running?.passages.stop();
      http.close();
    },
  };
};
