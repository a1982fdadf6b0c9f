/** The webhook endpoints made by an agent: they continue after it, or its key, is stopped. */

import { Link } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useAnswer } from '../api/loaded.ts';
import { plural } from '../components/format.ts';

export const MadeWebhooks = ({ agent }: { agent: string }) => {
  const { value } = useAnswer(api.webhooks.list, {});
  const count = value?.webhooks.filter(({ made_by }) => made_by === agent).length ?? 0;
  if (count === 0) return null;
  return (
    <p>
      {agent} made {plural(count, 'webhook endpoint')}, which {count === 1 ? 'goes' : 'go'} on being told what happens:
      look at <Link href="/webhooks">Webhooks</Link>.
    </p>
  );
};
