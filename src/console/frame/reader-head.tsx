/** The head of the open entry: its name and its acts; on a phone, the link back to the list. */

import { signal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Button } from '../components/controls.tsx';
import { Icon } from '../components/marks.tsx';

interface ReaderHeadProps {
  name: string;
  remove: () => void;
  isRemoving?: boolean;
  edit: () => void;
  /** More acts, behind these. */
  children?: ComponentChildren;
}

/** Readers with the page's heading: the title row then has none, so that a page has one. */
export const readerHeadings = signal(0);

const useReaderHeading = (): void =>
  useLayoutEffect(() => {
    readerHeadings.value += 1;
    return () => {
      readerHeadings.value -= 1;
    };
  }, []);

/** The heading of what is open, and of the page. */
export const ReaderHeading = ({
  of,
  children,
}: {
  of?: RefObject<HTMLHeadingElement>;
  children: ComponentChildren;
}) => {
  useReaderHeading();
  return (
    <h1 {...(of && { ref: of })} tabIndex={-1}>
      {children}
    </h1>
  );
};

export const ReaderHead = ({ name, remove, isRemoving = false, edit, children }: ReaderHeadProps) => (
  <div class="head">
    <ReaderHeading>
      <bdi>{name}</bdi>
    </ReaderHeading>
    <div class="end acts-inline">
      <Button words="Delete" kind="danger" isSmall busy={isRemoving && 'Deleting…'} onClick={remove} />
      <Button words="Edit" isSmall onClick={edit} />
      {children}
    </div>
  </div>
);

/** Back to the list, on a phone, where the list is not visible. */
export const BackLink = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <p class="phone-back">
    <Link href={href}>
      <Icon name="back" />
      {children}
    </Link>
  </p>
);
