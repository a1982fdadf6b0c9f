/**
 * Finds the links of a mail, and marks those that complete a request of a service (verify, confirm, reset, activate,
 * sign in) by label, path and context.
 */

import { type Anchor, isWebAddress, MAX_SHOWN } from '../html/anchors.ts';
import { WEB_ADDRESS } from './web-address.ts';

const MAX_LINKS = 1_000;
/** Characters before a bare link that are searched for its purpose. */
const CONTEXT = 120;

/** Phrases for such a request, in a label or before a link. */
const ACTION =
  /verif(?!ied|iziert)|confirm(?!ation of|ed your order)|activat|reset|magic|validat|passwordless|one[- ]?time|set[- ]?up your|set (?:a|your)(?: new)? password|choose a(?: new)? password|accept[- ]?(?:the )?invit|join (?:the )?(?:team|workspace)|bestätig|aktivier|zurücksetz|einladung annehmen|passwort (?:ändern|festlegen|vergeben)|confirmer|vérif|activer|réinitialis|valider|accepter l['’]invitation|confirmar|verifi[ck]|activar|ativar|restablecer|redefinir|aceptar (?:la )?invitación|conferma|attiva|reimposta|accetta l['’]invito|bevestig|verifieer|activeer|herstel|opnieuw instellen|bekräfta|verifiera|aktivera|återställ|bekræft|bekreft|nulstil|tilbakestill|vahvista|aktivoi|nollaa|potwierdź|zweryfikuj|aktywuj|zresetuj|doğrula|onayla|etkinleştir|sıfırla|ověř|potvr[dďđ]|aktivovat|obnovit|overi|confirmă|verificați|megerősít|επιβεβαί|επαλήθευ|подтверд|активир|сброс|восстанов|підтверд|потвърд|kinnita|patvirtin|apstiprin|xác (?:minh|nhận|thực)|kích hoạt|đặt lại|ยืนยัน|รีเซ็ต|verifikasi|konfirmasi|sahkan|aktifkan|تأكيد|تحقق|تأیید|تایید|تفعيل|إعادة تعيين|אימות|אמת|אשר|איפוס|सत्यापित|पुष्टि|रीसेट|确认|验证|激活|重置|確認|驗證|啟用|重設|認証|有効化|再設定|リセット|인증|확인하기|활성화|재설정/iu;
/** Phrases that count only for a link with a secret; without one the link leads to a public page. */
const ACTION_WITH_SECRET =
  /sign[- ]?in|log[- ]?in|password|anmeld|einloggen|passwort|connexion|se connecter|mot de passe|iniciar sesión|contraseña|entrar|senha|accedi|password|inloggen|wachtwoord|logga in|lösenord|log ind|logg inn|kirjaudu|salasana|zaloguj|hasło|oturum aç|giriş yap|şifre|přihlás|heslo|войти|пароль|đăng nhập|เข้าสู่ระบบ|masuk|تسجيل الدخول|התחבר|लॉग ?इन|登录|登入|ログイン|サインイン|로그인|invitation|einladung|invito|convite/iu;
const UNWANTED =
  /unsubscribe|abmelden|désabonn|désinscri|desuscrib|cancelar (?:la )?suscripción|disiscri|afmelden|avprenumerera|preferences|einstellungen|privacy|datenschutz|confidentialité|privacidad|terms|agb\b|help[- ]?cent|support\b|view[- ]?(?:it )?in[- ]?(?:your )?browser|im browser|opt[- ]?out|配信停止|退订/iu;
const ORDER =
  /order|purchase|booking|reservation|shipment|bestell|buchung|commande|réservation|pedido|compra|reserva|ordine|prenotazione|sipariş|注文|予約|订单|주문/iu;

/** Path segments and parameters that indicate the purpose. */
const PURPOSE =
  /(?:^|[/_.-])(?:verif(?:y|ication|ier|izieren|icar)?|(?:e-?mail|account|user)?[-_]?confirm|activat(?:e|ion)|reset|magic|magic-?link|validat(?:e|ion)|passwordless|one-?time|accept-?invit\w*|invit(?:e|ations?)\/accept)(?=$|[/_.-])/i;
const PURPOSE_WITH_SECRET =
  /(?:^|[/_.-])(?:confirmations?|signin|sign-in|login|log-in|password|auth(?:enticate|entication)?|invitations?|invites?|session)(?=$|[/_.-])/i;
const MAILING = /unsub|opt-?out|preferences|privacy|terms/i;
const SECRET_NAME =
  /^(?:token|code|key|otp|t|k|c|sig|signature|hash|secret|ticket|oob_?code|\w+_token|\w+_code|\w+token|upn|data|jwt)$/i;
/** An unguessable value. */
const SECRET_VALUE = /^(?=.*\d)[\w.~%+=-]{16,}$/;

const ADDRESS = new RegExp(`${WEB_ADDRESS}|[\\w-]{1,63}(?:\\.[\\w-]{1,63}){1,8}`, 'gi');
const TEXT_URL = new RegExp(WEB_ADDRESS, 'gi');
const TAIL = /[.,;:!?*_~]+$/;

const hasSecret = ({ pathname, searchParams }: URL): boolean =>
  pathname.split('/').some((step) => SECRET_VALUE.test(step)) ||
  [...searchParams].some(
    ([name, value]) =>
      !name.startsWith('utm_') && (SECRET_VALUE.test(value) || (SECRET_NAME.test(name) && value.length >= 3)),
  );

/** Joins the values of parameters that name an action. */
const readActions = ({ searchParams }: URL): string =>
  [...searchParams]
    .filter(([name]) => /^(?:mode|action|act|do|type|op|intent|task|page|flow)$/i.test(name))
    .map(([, value]) => value.replace(/([a-z])([A-Z])/g, '$1-$2'))
    .join('/');

const isActionLink = (address: string, text: string): boolean => {
  const url = new URL(address);
  // A host in the link text identifies the service, not the purpose.
  const words = text.replace(ADDRESS, ' ').replace(/\s+/g, ' ');
  if (UNWANTED.test(words) || MAILING.test(url.pathname)) return false;
  if (ORDER.test(words)) return false;
  if (ACTION.test(words)) return true;
  const path = `${url.pathname}/${readActions(url)}`;
  if (PURPOSE.test(path) && !ORDER.test(url.pathname)) return true;
  const isPossible = ACTION_WITH_SECRET.test(words) || (PURPOSE_WITH_SECRET.test(path) && !ORDER.test(url.pathname));
  return isPossible && hasSecret(url);
};

/** Addresses longer than this are replaced by a number in the text. */
const isLong = (url: string): boolean => url.length > MAX_SHOWN;

const asUrl = (text: string): string | null => (isWebAddress(text) && URL.canParse(text) ? text : null);

export interface MailLink {
  /** The number that replaces a long address in the text; null: the text has the address itself. */
  number: number | null;
  /** The link's text; null: its address. */
  text: string | null;
  url: string;
  /** Whether it verifies, confirms, resets, activates or signs in. */
  action: boolean;
}

type Links = Map<string, MailLink>;

const addAnchors = (links: Links, anchors: readonly Anchor[]): void => {
  for (const { href, label } of anchors) {
    const url = asUrl(href);
    if (url === null) continue;
    const known = links.get(url);
    const action = known?.action === true || isActionLink(url, label);
    links.set(url, { number: null, text: known?.text || label || null, url, action });
  }
};

/** Describes a link without a label by the text before it. */
const addBareLinks = (links: Links, text: string): void => {
  let behind = 0;
  for (const { index, 0: written } of text.matchAll(TEXT_URL)) {
    if (links.size >= MAX_LINKS) return;
    const url = asUrl(written.replace(TAIL, ''));
    const known = url === null ? undefined : links.get(url);
    // A shortened address is invalid; its anchor has the full one. An anchor's long address has its label.
    if (url !== null && !url.endsWith('/…') && !(known && isLong(url))) {
      const action = known?.action === true || isActionLink(url, textBefore(text, behind, index));
      links.set(url, { number: null, text: known?.text ?? null, url, action });
    }
    behind = index + written.length;
  }
};

const BRACKETED_URL = new RegExp(`\\[?(${TEXT_URL.source})\\]?`, 'gi');

/** Names the long addresses of a text by numbers, in their order there. */
const numberLinks = (text: string, links: Links): string => {
  let last = 0;
  return text.replace(BRACKETED_URL, (whole: string, written: string) => {
    const url = written.replace(TAIL, '');
    const link = isLong(url) ? links.get(url) : undefined;
    if (!link) return whole;
    if (link.number === null) {
      last += 1;
      link.number = last;
    }
    const isBracketed = whole.startsWith('[') && whole.endsWith(']');
    return isBracketed
      ? `[${link.number}]`
      : `${whole.slice(0, whole.indexOf(written))}[${link.number}]${whole.slice(whole.indexOf(url) + url.length)}`;
  });
};

/**
 * Finds the web links of a mail: each address once, those of the HTML first, at most {@link MAX_LINKS}.
 * @param text with whole addresses
 * @param otherText of the alternatives that are not shown
 * @param anchors links of the HTML
 * @returns the links, and the text with numbers in the place of long addresses
 */
export const findLinks = (
  text: string,
  otherText: string,
  anchors: readonly Anchor[],
): { links: MailLink[]; text: string } => {
  const links: Links = new Map();
  addAnchors(links, anchors);
  addBareLinks(links, text);
  addBareLinks(links, otherText);
  const numbered = numberLinks(text, links);
  return { links: [...links.values()], text: numbered };
};

/** Returns the last paragraph before a link, up to CONTEXT characters. */
const textBefore = (text: string, from: number, link: number): string => {
  const context = text.slice(Math.max(from, link - CONTEXT), link);
  const lines = context.trimEnd().split(/\n\s*\n/);
  return lines.at(-1) ?? '';
};
