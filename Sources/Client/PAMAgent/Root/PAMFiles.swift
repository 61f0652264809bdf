/// Where root's files about PAM are, unless it was said otherwise.
package enum PAMFiles {
  /// What is enrolled, a file for each user: the PAM module has the same.
  package static let users = "/etc/sealring/pam"
  /// Which server recognises people.
  package static let server = "/etc/sealring/pam-server.conf"
  /// What was let happen.
  package static let log = "/var/log/sealring/pam.log"
  /// Who is waiting (``PAMPlaces``). systemd says where in `RUNTIME_DIRECTORY`.
  package static let places = "/run/sealring/places"
}
