/** Splits a reply into its new text, the quoted history and the signature. Processes lines in one pass. */

/** Characters that are processed; text beyond is history. */
const MAX_TEXT = 512 * 1024;
const MAX_ATTRIBUTION_LINES = 4;
const MAX_ATTRIBUTION_LINE = 250;

const WROTE =
  /(?:wrote|writes|schrieb|schreef|skrev|a écrit|écrivait|escribió|escreveu|ha scritto|scrisse|napisał|napisała|napsal|пишет|написал|yazdı|kirjoitti|kirjoittaa|napsala|napísal|a scris|írta|έγραψε|пише|пишет|đã viết|เขียนว่า|menulis|كتب|ने लिखा|写道|寫道|のメール|님이 작성|작성)[^\n]{0,80}[:：]$/iu;
/** Openings of attributions such as "On Tuesday, …", by language. */
const ON =
  /^(?:(?:on|am|le|el|il|op|den|em|dnia|w dniu|dne|v|ma|pada|vào|lúc|în|в|у|at|στις|เมื่อ|在|于)(?:\s|\d|$)|\d{4}\s?[-/.年년]|\d{1,2}[. ]\s?\p{L})/iu;
/** Attributions of a date, a name and an address: Gmail's in Japanese, Yandex', Mail.ru's. */
const ADDRESS_ALONE = /[^\s<>@]{1,64}@[^\s<>@]{1,253}>\s?[:：]$/;
const DATE_FIRST = /^(?:\d{4}\s?[-/.年년]|\d{1,2}\.\d{1,2}\.\d{4},|\p{L}{5,20}, \d{1,2} \p{L}{3,10} \d{4},)/u;
/** An attribution contains a date or an address; a sentence that ends in "wrote:" seldom does. */
const DAY_OR_ADDRESS = /[\d@]/;
/** Above a quoted line that is enough, in any language and order. */
const ADDRESS_AND_YEAR = /@.*(?:\b20|٢٠|۲۰|২০|२०)\p{Nd}{2}|(?:\b20|٢٠|۲۰|২০|२०)\p{Nd}{2}.*@/u;
/** Where no quoted line follows, only what programs write ends the reply: people write "on page 3 you wrote:", too. */
const DATE_TIME_OR_ADDRESS = /(?:20\d\d|\d[./-]\d\d)\D.{0,60}?\d\s?[.:h時时点點시]\s?\d\d|@/;

/** Separators above a message that is quoted or forwarded whole. */
const ORIGINAL =
  /^[-_*\s]{2,20}(?:original message|original appointment|ursprüngliche nachricht|original-?nachricht|mail original|původní e-mail|původní zpráva|원본 메일|message d['’]origine|message original|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|originalmeddelande|oprindelig meddelelse|wiadomość oryginalna|исходное сообщение|原始邮件|原始郵件|元のメッセージ|원본 메시지|forwarded message|weitergeleitete nachricht|message transféré|mensaje reenviado|mensagem encaminhada|messaggio inoltrato|doorgestuurd bericht|vidarebefordrat meddelande|videresendt (?:meddelelse|melding)|przekazana wiadomość|wiadomość przekazana|пересылаемое сообщение|пересланное сообщение|转发邮件信息|转发的邮件|轉寄郵件|転送メッセージ|전달된 메시지)[-_*\s]{2,20}$|^(?:begin forwarded message|anfang der weitergeleiteten (?:nachricht|e-mail)|début du message (?:transféré|réexpédié))\s?:$|^-{4,5}\s?.{1,200}\s(?:wrote|schrieb|a écrit|escribió|escreveu|ha scritto|schreef)(?:\s?:)?\s?-{3,5}$/iu;

const FROM_LABEL =
  /^\*?(?:from|von|de|da|van|från|fra|od|lähettäjä|kimden|gönderen|от(?: кого)?|від(?: кого)?|од|发件人|寄件者|寄件人|差出人|보낸 ?사람|feladó|από|מאת|من|từ|dari|daripada|จาก|šalje|de la|frá|nuo|saatja|از|प्रेषक)\s?(?:[:]\*?\s|：)/iu;
const SENT =
  'sent|date|gesendet|datum|envoyée?|enviad[oa](?: el| em| o)?|enviat(?: el)?|fecha|data|inviato|verzonden|skickat|sendt|dato|wysłan[oe]|дата|отправлено|надіслано|发送时间|发送日期|日期|寄件日期|傳送日期|送信日時|日時|日付|보낸 ?날짜|날짜|lähetetty|päivämäärä|päiväys|gönderildi|gönderilme(?: tarihi)?|tarih|odesláno|odoslané|expediat|trimis(?: la)?|(?:el)?küldve|dátum|στάλθηκε|αποστολή|ημερομηνία|נשלח|תאריך|تم الإرسال|التاريخ|đã gửi|ngày|dikirim|tanggal|ส่ง|วันที่|posla[nt]o|послато|изпратено|испратено|išsiųsta|saadetud|kuupäev|dihantar|مرسل|ارسال|تاریخ|भेजा गया';
const SUBJECT =
  'subject|betreff|objet|asunto|assunto|oggetto|onderwerp|ämne|emne|temat|тема|主\\s?题|主旨|件名|제목|aihe|konu|předmět|predmet|subiect|tárgy|θέμα|נושא|الموضوع|chủ đề|subjek|perihal|เรื่อง|tema|teema|efni|zadeva|assumpte|относно|موضوع|विषय';
const TO =
  'to|cc|an|à|para|a|aan|till|til|do|кому|收件人|收件者|宛先|받는 ?사람|vastaanottaja|kime|komu|către|címzett|προς|אל|إلى|đến|kepada|ke|ถึง|prima|kam|za|за|до|per a|adressaat|saaja|alıcı|به|प्रति';
const toLabel = (words: string): RegExp => new RegExp(`^\\*?(?:${words})\\s?[:：]`, 'iu');
const SENT_LABEL = toLabel(SENT);
const SUBJECT_LABEL = toLabel(SUBJECT);
const OTHER_LABEL = toLabel(`${SENT}|${SUBJECT}|${TO}`);
/** Lines that are searched for a header block, its first line excluded. */
const BLOCK_LINES = 6;

const RULE = /^[\s*]*(?:_{5,}|-{5,})[\s*]*$/;
/** A reply that leads on to the text below it: answers within history that is not marked, or history to be read. */
const POINTS_BELOW =
  /(?<!\p{L})(?:see below|(?:answer|comment|repl[iy]|respon[sd]|e-?mail|thread|message|conversation|correspondence)\p{L}{0,4}[^\n.]{0,30} (?:below|in-?line)|in-?line (?:answer|comment|repl)|in (?:red|blue|green)|siehe unten|s\. ?u\.|(?:antworten|kommentare?|anmerkungen|e-?mail|nachricht)[^\n.]{0,30} (?:unten|inline)|in (?:rot|blau|grün)|(?:voir|cf\.?) ci-dessous|(?:réponses?|commentaires?|mail|message)[^\n.]{0,30} ci-dessous|en (?:rouge|bleu|vert)|(?:ver|vea|véase) (?:más )?abajo|(?:respuestas|comentarios|correo|mensaje)[^\n.]{0,30} abajo|en (?:rojo|azul|verde)|(?:ver|veja) abaixo|em vermelho|(?:vedi|vedere) sotto|in rosso|zie hieronder|in het rood|se nedan|se nedenfor|se nedenstående|patrz poniżej|na czerwono|см\. ниже|красным)(?!\p{L})|赤字|红色|紅色|见下|빨간/iu;

const UNDERSCORES = /^_{20,}$/;
const LIST_FOOTER = /mailing[- ]?list|unsubscribe|listinfo|@lists?\./i;
const FOOTER_LINES = 4;
const SIGNATURE_MARK = /^--\s?$/;
/** Below a signature, its line is the person's again. */
const POSTSCRIPT = /^p\. ?s\.|^ps[:. ]/i;
const DEVICE =
  /^(?:(?:sent|shared) (?:from|via|with) (?:my )?[\w'’]+(?:\s[\w'’]+){0,3}|get outlook for \w+|(?:von meinem(?:\/meiner)?|gesendet (?:von|mit)|envoyé (?:de|depuis|à partir)|enviado (?:desde|do|a partir do)|inviato d[ae]l?|verzonden (?:vanaf|met)|skickat från|sendt fra|wysłan[eo] z|отправлено с|надіслано з|odesláno z|odoslané z|trimis de pe|poslano s|lähetetty|στάλθηκε από|נשלח|أُ?رسلت من|gửi từ|dikirim dari)\s[\p{L}\p{N}'’-]+(?:\s[\p{L}\p{N}'’-]+){0,4}|sent (?:from|with) (?:\[[\w ]{1,30}\]\(|[\w ]{1,30}<)https?:[^\s>)]{1,300}[>)](?: [\w ]{1,30})?|[^<[(]{0,60}outlook[^<[(]{0,40}(?=[<[(]\s?https:\/\/aka\.ms\/)|iphoneから送信|나의 iphone에서 보냄|发自我的\s?iphone|從我的 iphone 傳送)[.!]?(?:\s?[<[(]\s?https?:[^\s>\])]{1,300}\s?[>\])])?$/iu;
/** Devices and programs: without one, "Sent via DHL on Monday" is the person's. */
const DEVICE_NAME =
  /^(?:sent from my|gesendet von meinem|envoyé (?:de|depuis) mon|enviado (?:desde mi|do meu)|verzonden vanaf mijn|skickat från min|sendt fra min|wysłane z mojego|отправлено с моего) |mail(?:\b|bird|spring)|\btuta|canary|boxer|\bzoho|missive|\bi(?:phon|pad|pod)|outlook|android|ios\b|blackberry|proton|thunderbird|superhuman|shortwave|\bspark\b|\bnine\b|samsung|galaxy|huawei|xiaomi|redmi|pixel|nokia|smartphone|phone\b|device|gerät|mobil|tablet|handy|portable|téléphone|celular|móvil|telem[oó]vel|cellulare|telefon|puhelime|телефон|айфон|устройств/iu;
const LIST_LINE = /^\s*[-–—]\s?[^-–—\s]/u;
const SIGNED_NAME = /^[-–—]\s?\p{Lu}[\p{L}.'’]{1,30}(?: \p{Lu}[\p{L}.'’]{0,30}){0,2}$/u;

/** Marks of direction, which Gmail and Outlook put around attributions and labels in Hebrew and Arabic. */
const DIRECTION = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const bareOf = (line = ''): string => line.replace(DIRECTION, '').trim();

/** Storing in an mbox may have put the ">" before "From ". */
const isQuoted = (line: string): boolean => /^ {0,3}>(?!From )/.test(line);

const isAboveQuote = (lines: readonly string[], at: number): boolean =>
  isQuoted(lines.slice(at + 1, at + 8).find((line) => line.trim() !== '') ?? '');

/** Returns the first line of the attribution that ends at `end`; -1 where none ends there. */
const attributionStart = (lines: readonly string[], end: number): number => {
  const last = bareOf(lines[end]);
  if (last.length > MAX_ATTRIBUTION_LINE || !(last.endsWith(':') || last.endsWith('：'))) return -1;
  const hasVerb = WROTE.test(last);
  const opening = hasVerb ? ON : ADDRESS_ALONE.test(last) ? DATE_FIRST : null;
  const isAbove = isAboveQuote(lines, end);
  let dated = -1;
  let joined = '';
  for (let at = end; at > end - MAX_ATTRIBUTION_LINES && at >= 0; at -= 1) {
    const line = bareOf(lines[at]);
    if (line === '' || line.length > MAX_ATTRIBUTION_LINE || isQuoted(line)) break;
    joined = `${line} ${joined}`;
    if (opening?.test(line) && DAY_OR_ADDRESS.test(joined)) return at;
    if (dated < 0 && isAbove && ADDRESS_AND_YEAR.test(joined)) dated = at;
  }
  if (dated >= 0) return dated;
  return hasVerb && DAY_OR_ADDRESS.test(last) && isAbove ? end : -1;
};

/**
 * Whether a header block begins here: From above two other labels, or four labels in another order and an address. One
 * has a time, and a subject or an address: else it may be a person's list, such as of a journey.
 */
const isHeaderBlock = (lines: readonly string[], start: number): boolean => {
  const isLabel = (line: string): boolean => FROM_LABEL.test(line) || OTHER_LABEL.test(line);
  if (!isLabel(bareOf(lines[start]))) return false;
  const near = lines.slice(start, start + 1 + BLOCK_LINES).map((line) => bareOf(line));
  const head = near.slice(0, 4);
  const from = near.find((line) => FROM_LABEL.test(line));
  const isInOrder = FROM_LABEL.test(near[0] ?? '');
  if (!isInOrder && !(head.length === 4 && head.every(isLabel) && from?.includes('@'))) return false;
  const has = (label: RegExp): boolean => near.some((line) => label.test(line));
  if (from === undefined || !has(SENT_LABEL) || near.filter((line) => OTHER_LABEL.test(line)).length < 2) return false;
  return from.includes('@') || has(SUBJECT_LABEL);
};

/** @returns the lines that were dropped, in their order */
const dropTail = (lines: string[], drop: (line: string) => boolean): string[] => {
  const dropped: string[] = [];
  const trimBlank = (): void => {
    while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop();
  };
  trimBlank();
  while (lines.length > 0 && drop((lines.at(-1) ?? '').trim())) {
    dropped.unshift(lines.pop() ?? '');
    trimBlank();
  }
  return dropped;
};

interface Lines {
  own: string[];
  quoted: string[];
  signature: string[];
  /** Of each marked quoted line, the lines of `own` above it. */
  quotedAt: number[];
}

/** A mail may have more lines than a call may have arguments. */
const append = (lines: string[], more: readonly string[]): void => {
  for (const line of more) lines.push(line);
};

/** Divides the lines: those of the reply itself, and those of quotes, history or signature. */
const sortLines = (text: string): Lines => {
  const lines = text.slice(0, MAX_TEXT).replace(/\r\n?/g, '\n').split('\n');
  const own: string[] = [];
  const quoted: string[] = [];
  const signature: string[] = [];
  const quotedAt: number[] = [];
  const addHistory = (from: number): void => {
    const isOwn = !isListFooter(lines, from) && POINTS_BELOW.test(own.join('\n'));
    append(isOwn ? own : quoted, lines.slice(from));
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const bare = line.trim();
    if (bare === '') {
      own.push('');
      quoted.push('');
      continue;
    }
    if (SIGNATURE_MARK.test(line)) {
      const from = historyStart(lines, at + 1);
      const below = lines.slice(at + 1, from);
      const postscript = below.findIndex((each) => POSTSCRIPT.test(each.trim()));
      append(signature, postscript < 0 ? below : below.slice(0, postscript));
      if (postscript >= 0) append(own, ['', ...below.slice(postscript)]);
      // Answers may stand between the quotes below it.
      at = from - 1;
      continue;
    }
    if (isHistory(lines, at)) {
      addHistory(at);
      break;
    }
    if (isQuoted(line)) {
      quotedAt.push(own.length);
      quoted.push(line);
      continue;
    }
    const start = attributionStart(lines, at);
    const isMarked = start >= 0 && isAboveQuote(lines, at);
    if (start < 0 || !(isMarked || DATE_TIME_OR_ADDRESS.test(lines.slice(start, at + 1).join(' ')))) {
      own.push(line);
      continue;
    }
    // Removes the earlier lines of the attribution, which were added as new text.
    own.splice(own.length - (at - start), at - start);
    // History without quote prefixes has no detectable end.
    if (!isMarked) {
      addHistory(start);
      break;
    }
    quoted.push(...lines.slice(start, at + 1));
  }
  return { own, quoted, signature, quotedAt };
};

const isListFooter = (lines: readonly string[], at: number): boolean =>
  UNDERSCORES.test((lines[at] ?? '').trim()) &&
  lines.slice(at + 1, at + 1 + FOOTER_LINES).some((line) => LIST_FOOTER.test(line));

/** Whether unmarked history begins here, or the footer of a list. */
const isHistory = (lines: readonly string[], at: number): boolean => {
  const bare = (lines[at] ?? '').trim();
  if (!UNDERSCORES.test(bare)) return ORIGINAL.test(bare) || isHeaderBlock(lines, at);
  const next = lines.slice(at + 1, at + 1 + FOOTER_LINES).findIndex((line) => line.trim() !== '');
  return isListFooter(lines, at) || (next >= 0 && isHeaderBlock(lines, at + 1 + next));
};

/** The first line from `from` on that is quoted or of history, or of an attribution above it; else the number of lines. */
const historyStart = (lines: readonly string[], from: number): number => {
  let end = from;
  while (end < lines.length && !isQuoted(lines[end] ?? '') && !isHistory(lines, end)) end += 1;
  let above = end - 1;
  while (above >= from && (lines[above] ?? '').trim() === '') above -= 1;
  const start = end < lines.length && above >= from ? attributionStart(lines, above) : -1;
  return start < from ? end : start;
};

const joined = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

export interface SplitReply {
  /** The new text; the whole text where nothing else remains. */
  own: string;
  quoted: string;
  signature: string;
}

/** Whether the last line is a name behind a dash; below a colon or another such line it is of a list. */
const endsWithName = (lines: readonly string[]): boolean => {
  if (!SIGNED_NAME.test((lines.at(-1) ?? '').trim()) || lines.at(-2)?.trim() !== '') return false;
  const above = lines.slice(0, -2).filter((line) => line.trim() !== '');
  const isOfList = /[:：]$/u.test((above.at(-1) ?? '').trim()) || above.some((line) => LIST_LINE.test(line));
  return above.length > 0 && !isOfList;
};

/** Whether own lines stand below at least two quotes, and between them. */
const isBetweenQuotes = ({ own, quotedAt }: Lines): boolean => {
  const isSaid = (line: string): boolean => line.trim() !== '';
  const last = own.findLastIndex(isSaid);
  const answered = quotedAt.filter((at) => at <= last);
  return answered.some((at, index) => own.slice(answered[index - 1] ?? at, at).some(isSaid));
};

const splitLines = (text: string, { own, quoted, signature }: Lines): SplitReply => {
  const signed = dropTail(own, (line) => (DEVICE.test(line) && DEVICE_NAME.test(line)) || RULE.test(line));
  if (endsWithName(own)) signed.unshift(...own.splice(-1));
  const reply = joined(own);
  if (reply === '') return { own: text.trim(), quoted: '', signature: '' };
  return { own: reply, quoted: joined(quoted), signature: joined([...signed, ...signature]) };
};

/** @param text plain text, any line ends; each part is trimmed, with bare LF */
export const splitReply = (text: string): SplitReply => splitLines(text, sortLines(text));

/**
 * Extracts the new text of a reply, without quoted history and signature.
 * @returns `answersOneByOne`: it stands between quotes, without which "yes" may seem to answer another question
 */
export const readReply = (text: string): { replyText: string; answersOneByOne: boolean } => {
  const lines = sortLines(text);
  // Before the split, which takes the signature from the own lines.
  const answersOneByOne = isBetweenQuotes(lines);
  return { replyText: splitLines(text, lines).own, answersOneByOne };
};
