/** The endpoint for embeddings, where one is configured: without it, search in the knowledge base uses words alone. */

import type { Check } from '../check.ts';
import { ok, skipped, warn } from '../finding.ts';

export const checkEmbeddings: Check = async ({ examineEmbeddings }) => {
  const examined = await examineEmbeddings();
  if (examined === null) return [skipped('embeddings', 'No endpoint is configured.')];
  const { fault, waiting, most } = examined;
  const told = waiting === 0 ? '' : ` ${waiting < most ? waiting : `${most} or more`} passages wait for their vectors.`;
  if (fault === null) return [ok('embeddings', `The endpoint answers.${told}`)];
  const fix = 'Look at [knowledge.embeddings] and at the endpoint. Until it answers, searches go by words alone.';
  return [warn('embeddings', `The endpoint for embeddings fails: ${fault}.${told}`, fix)];
};
