/// The default places of root's files about PAM.
package enum PAMFiles {
  /// The enrolments, with a file for each user. The PAM module has the same path.
  package static let users = "/etc/sealring/pam"
  /// The settings of the server that recognises people.
  package static let server = "/etc/sealring/pam-server.conf"
  /// The log of what PAM allowed.
  package static let log = "/var/log/sealring/pam.log"
  /// The waiting questions (``PAMPlaces``). systemd names the folder in `RUNTIME_DIRECTORY`.
  package static let places = "/run/sealring/places"
}
