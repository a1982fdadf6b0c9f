/** Other work under way: crawls, imports, exports and backups, each with how far it is. */

import { useEffect } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { Section } from '../components/blocks.tsx';
import { count, shortTime } from '../components/format.ts';

type Work = Answer<'work', 'list'>['work'][number];

const REFRESH_MS = 2_000;

const KINDS = { crawl: 'Reads', import: 'Imports', export: 'Exports', backup: 'Backs up all data' } as const;

const howFar = ({ kind, name, done, total, since }: Work): string => {
  const unit = kind === 'crawl' ? 'pages' : name === 'contacts' ? 'rows' : 'mails';
  const soFar = done === 0 ? 'under way' : `${count(done)} ${unit} so far`;
  const far = total === null ? soFar : `${count(done)} of ${count(total)} ${unit}`;
  return since === null ? far : `${far}, since ${shortTime(since)}`;
};

export const OtherWork = () => {
  const list = useRefreshed(api.work.list, {});
  const work = list.value?.work ?? [];
  useEffect(() => {
    if (work.length === 0) return;
    const timer = setTimeout(() => void list.reload(), REFRESH_MS);
    return () => clearTimeout(timer);
  }, [list.value]);
  if (work.length === 0) return null;
  return (
    <Section title="Other work">
      <ul class="works">
        {work.map((each, at) => {
          const words = `${KINDS[each.kind]}${each.name === null ? '' : ` ${each.name}`}`;
          return (
            <li key={at}>
              <span class="clip">
                <b class="strong">
                  <bdi>{words}</bdi>
                </b>
              </span>
              <span class="dim small num">{howFar(each)}</span>
              <progress
                aria-label={words}
                {...(each.total !== null && { max: Math.max(1, each.total), value: each.done })}
              />
            </li>
          );
        })}
      </ul>
    </Section>
  );
};
