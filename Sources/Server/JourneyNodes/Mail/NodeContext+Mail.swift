internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import QueryFilters
internal import StrictJSON

extension NodeContext {
  /// Where mail to an account goes: the value of `attribute`; of `mail`, the address that counts (``MailState``).
  ///
  /// A run that has proven its person otherwise, or has made the account, writes to an address that does not count yet where there is no
  /// other, and with a link in any case, which is how one is confirmed.
  func mail(of user: UserRecord, at attribute: JSONPointer, isLink: Bool = false) -> String? {
    guard attribute.names == [ManagedAttribute.mail] else {
      return attribute.value(in: ManagedUsers.object(of: user))?.stringValue
    }
    let isProven =
      state.authenticatedAt != nil && state.username?.lowercased() == user.username.lowercased()
    if isProven, isLink { return user.mail.first }
    return user.countingMail ?? (isProven || state.createdAccount == user.id ? user.mail.first : nil)
  }
}
