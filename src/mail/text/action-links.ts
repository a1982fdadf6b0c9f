/**
 * Finds links that complete a request of a service: verify, confirm, reset, activate, sign in. Classifies by label,
 * path and context.
 */

import { type Anchor, isWebAddress } from '../html/anchors.ts';

const MAX_TEXT = 256 * 1024;
const MAX_LINKS = 20;
/** Characters before a bare link that are searched for its purpose. */
const CONTEXT = 120;

/** Phrases for such a request, in a label or before a link. */
const ACTION =
  /verif(?!ied|iziert)|confirm(?!ation of|ed your order)|activat|reset|magic|validat|passwordless|one[- ]?time|set[- ]?up your|set (?:a|your)(?: new)? password|choose a(?: new)? password|accept[- ]?(?:the )?invit|join (?:the )?(?:team|workspace)|bestätig|aktivier|zurücksetz|einladung annehmen|passwort (?:ändern|festlegen|vergeben)|confirmer|vérif|activer|réinitialis|valider|accepter l['’]invitation|confirmar|verifi[ck]|activar|ativar|restablecer|redefinir|aceptar (?:la )?invitación|conferma|attiva|reimposta|accetta l['’]invito|bevestig|verifieer|activeer|herstel|opnieuw instellen|bekräfta|verifiera|aktivera|återställ|bekræft|bekreft|nulstil|tilbakestill|vahvista|aktivoi|nollaa|potwierdź|zweryfikuj|aktywuj|zresetuj|doğrula|onayla|etkinleştir|sıfırla|ověř|potvr[dďđ]|aktivovat|obnovit|overi|confirmă|verificați|megerősít|επιβεβαί|επαλήθευ|подтверд|активир|сброс|восстанов|підтверд|xác (?:minh|nhận|thực)|kích hoạt|đặt lại|ยืนยัน|รีเซ็ต|verifikasi|konfirmasi|aktifkan|تأكيد|تحقق|تفعيل|إعادة تعيين|אימות|אמת|אשר|איפוס|सत्यापित|पुष्टि|रीसेट|确认|验证|激活|重置|確認|驗證|啟用|重設|認証|有効化|再設定|リセット|인증|확인하기|활성화|재설정/iu;
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

const ADDRESS = /https?:\/\/\S+|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/gi;
const TEXT_URL = /https?:\/\/[^\s<>"'`\\^{|}\])]{1,2048}/gi;
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

const asUrl = (text: string): string | null => (isWebAddress(text) && URL.canParse(text) ? text : null);

/**
 * Finds links to verify, confirm, reset, activate or sign in, by their label, their path or the text before them.
 * @param anchors links of the HTML
 * @returns http and https only, each once, at most 20, those of the HTML first
 */
export const findLinks = (texts: readonly string[], anchors: readonly Anchor[]): string[] => {
  const links = new Set<string>();
  for (const { href, label } of anchors) {
    const url = asUrl(href);
    if (url !== null && isActionLink(url, label)) links.add(url);
  }
  for (const text of texts) {
    const plain = text.slice(0, MAX_TEXT);
    let behind = 0;
    for (const { index, 0: written } of plain.matchAll(TEXT_URL)) {
      const url = asUrl(written.replace(TAIL, ''));
      // A shortened address is invalid; its anchor has the full one.
      const isWhole = url !== null && !url.endsWith('/…');
      if (isWhole && isActionLink(url, textBefore(plain, behind, index))) links.add(url);
      behind = index + written.length;
      if (links.size >= MAX_LINKS) break;
    }
  }
  return [...links].slice(0, MAX_LINKS);
};

/** Returns the last paragraph before a link, up to CONTEXT characters. */
const textBefore = (text: string, from: number, link: number): string => {
  const context = text.slice(Math.max(from, link - CONTEXT), link);
  const lines = context.trimEnd().split(/\n\s*\n/);
  return lines.at(-1) ?? '';
};
